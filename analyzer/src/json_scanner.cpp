#include "json_scanner.hpp"

#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t read_bytes = std::size_t{256} * 1024;

std::string show(int byte) {
    if (byte < 0)
        return "the end of the file";
    if (byte > 0x20 && byte < 0x7F)
        return fmt::format("'{}'", static_cast<char>(byte));
    return fmt::format("byte 0x{:02x}", byte);
}

bool is_digit(int byte) {
    return byte >= '0' && byte <= '9';
}

} // namespace

JsonScanner::JsonScanner(Read read) : read_(std::move(read)), buffer_(read_bytes) {}

int JsonScanner::peek() {
    if (used_ == filled_) {
        if (ended_)
            return -1;
        const auto got = read_(buffer_.data(), buffer_.size());
        if (!got) {
            read_failed_ = true;
            read_error_ = got.error();
        }
        used_ = 0;
        filled_ = got ? *got : 0;
        ended_ = filled_ == 0;
        if (ended_)
            return -1;
    }
    return static_cast<unsigned char>(buffer_[used_]);
}

int JsonScanner::take() {
    const int byte = peek();
    if (byte >= 0) {
        ++used_;
        ++consumed_;
    }
    return byte;
}

tl::unexpected<Error> JsonScanner::error(const std::string& what, bool at_next) {
    if (read_failed_)
        return fail(read_error_);
    error_offset_ = at_next ? consumed_ : token_offset_;
    expect_ = Expect::nothing;
    return fail(fmt::format("byte {}: {}", error_offset_, what));
}

void JsonScanner::keep(int byte) {
    if (text_.size() < kept_bytes)
        text_ += static_cast<char>(byte);
}

void JsonScanner::after_value() {
    expect_ = levels_.empty() ? Expect::nothing : Expect::comma_or_end;
}

Result<JsonScanner::Token> JsonScanner::next() {
    for (;;) {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')
            take();
        token_offset_ = consumed_;
        const int byte = peek();
        switch (expect_) {
        case Expect::nothing:
            if (byte >= 0 || read_failed_)
                return error("expected the end of the file, found " + show(byte));
            return Token::end;
        case Expect::colon:
            if (byte != ':')
                return error("expected ':', found " + show(byte));
            take();
            expect_ = Expect::value;
            continue;
        case Expect::comma_or_end: {
            const bool object = levels_.back().object;
            if (byte == ',') {
                take();
                expect_ = object ? Expect::key : Expect::value;
                continue;
            }
            if (byte == (object ? '}' : ']'))
                return close(object);
            return error(fmt::format("expected ',' or '{}', found {}", object ? '}' : ']', show(byte)));
        }
        case Expect::key_or_end:
            if (byte == '}')
                return close(true);
            [[fallthrough]];
        case Expect::key:
            if (byte != '"')
                return error("expected a key in double quotes, found " + show(byte));
            SNAPSCOPE_TRY(string());
            expect_ = Expect::colon;
            return Token::key;
        case Expect::value:
        case Expect::value_or_end:
            return value(expect_ == Expect::value_or_end);
        }
    }
}

Result<JsonScanner::Token> JsonScanner::value(bool may_end) {
    const int byte = peek();
    if (byte == '{' || byte == '[')
        return open(byte == '{');
    if (byte == ']' && may_end)
        return close(false);
    Token token = Token::literal;
    if (byte == '"') {
        token = Token::string;
        SNAPSCOPE_TRY(string());
    } else if (byte == '-' || is_digit(byte)) {
        token = Token::number;
        SNAPSCOPE_TRY(number());
    } else if (byte == 't' || byte == 'f' || byte == 'n') {
        SNAPSCOPE_TRY(literal());
    } else {
        return error("expected a value, found " + show(byte));
    }
    after_value();
    return token;
}

Result<JsonScanner::Token> JsonScanner::open(bool object) {
    if (levels_.size() == max_depth)
        return error(fmt::format("nested deeper than {}", max_depth));
    take();
    levels_.push_back({object});
    expect_ = object ? Expect::key_or_end : Expect::value_or_end;
    return object ? Token::begin_object : Token::begin_array;
}

Result<JsonScanner::Token> JsonScanner::close(bool object) {
    take();
    levels_.pop_back();
    after_value();
    return object ? Token::end_object : Token::end_array;
}

Status JsonScanner::skip_value(Token first) {
    if (first != Token::begin_object && first != Token::begin_array)
        return {};
    const std::size_t outside = levels_.size() - 1;
    while (levels_.size() > outside) {
        const auto token = next();
        if (!token)
            return fail(token.error());
    }
    return {};
}

Status JsonScanner::string() {
    text_.clear();
    take();
    for (;;) {
        const int byte = peek();
        if (byte < 0)
            return error("the file ends inside a string");
        if (byte < 0x20)
            return error("a raw control character inside a string: " + show(byte));
        if (byte >= 0x80) {
            SNAPSCOPE_TRY(utf8_tail(byte));
            continue;
        }
        take();
        if (byte == '"')
            return {};
        if (byte == '\\')
            SNAPSCOPE_TRY(escape());
        else
            keep(byte);
    }
}

Status JsonScanner::utf8_tail(int lead) {
    const std::uint64_t begin = consumed_;
    const auto bad = [&] {
        Status status = error(fmt::format("a string is no UTF-8 from byte {} on", begin));
        return status;
    };
    if (lead < 0xC2 || lead > 0xF4)
        return bad();
    keep(take());
    const int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    // The second byte rules out overlong forms, surrogates and what is above U+10FFFF.
    int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; ++i) {
        if (peek() < low || peek() > high)
            return bad();
        keep(take());
        low = 0x80;
        high = 0xBF;
    }
    return {};
}

Result<std::uint32_t> JsonScanner::hex4() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        const int byte = peek();
        const int lower = byte | 0x20;
        if (is_digit(byte))
            value = value << 4U | static_cast<std::uint32_t>(byte - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value << 4U | static_cast<std::uint32_t>(lower - 'a' + 10);
        else
            return error("expected four hex digits after \\u, found " + show(byte));
        take();
    }
    return value;
}

void JsonScanner::keep_code_point(std::uint32_t c) {
    const auto tail = [&](unsigned shift) { keep(static_cast<int>(0x80U | (c >> shift & 0x3FU))); };
    if (c < 0x80) {
        keep(static_cast<int>(c));
    } else if (c < 0x800) {
        keep(static_cast<int>(0xC0U | c >> 6U));
        tail(0);
    } else if (c < 0x10000) {
        keep(static_cast<int>(0xE0U | c >> 12U));
        tail(6);
        tail(0);
    } else {
        keep(static_cast<int>(0xF0U | c >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

Status JsonScanner::escape() {
    const int byte = peek();
    static constexpr std::string_view plain = "\"\\/bfnrt";
    static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const auto at = byte < 0 ? std::string_view::npos : plain.find(static_cast<char>(byte));
    if (at != std::string_view::npos) {
        take();
        keep(meant[at]);
        return {};
    }
    if (byte != 'u')
        return error("an unknown escape: \\ before " + show(byte));
    take();
    const auto first = hex4();
    if (!first)
        return fail(first.error());
    if (*first < 0xD800 || *first > 0xDFFF) {
        keep_code_point(*first);
        return {};
    }
    if (*first > 0xDBFF || take() != '\\' || take() != 'u')
        return error("an escaped surrogate without its other half");
    const auto second = hex4();
    if (!second)
        return fail(second.error());
    if (*second < 0xDC00 || *second > 0xDFFF)
        return error("an escaped surrogate without its other half");
    keep_code_point(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
    return {};
}

Status JsonScanner::digits() {
    if (!is_digit(peek()))
        return error("expected a digit, found " + show(peek()));
    while (is_digit(peek()))
        keep(take());
    return {};
}

Status JsonScanner::number() {
    text_.clear();
    if (peek() == '-')
        keep(take());
    if (peek() == '0')
        keep(take());
    else
        SNAPSCOPE_TRY(digits());
    if (peek() == '.') {
        keep(take());
        SNAPSCOPE_TRY(digits());
    }
    if (peek() == 'e' || peek() == 'E') {
        keep(take());
        if (peek() == '+' || peek() == '-')
            keep(take());
        SNAPSCOPE_TRY(digits());
    }
    return {};
}

Status JsonScanner::literal() {
    text_.clear();
    while (peek() >= 'a' && peek() <= 'z' && text_.size() < 6)
        keep(take());
    if (text_ == "true" || text_ == "false" || text_ == "null")
        return {};
    return error("expected true, false or null", false);
}

} // namespace snapscope

// A strict JSON tokenizer (RFC 8259) that knows where it is: every token has
// its byte offset, memory is bounded whatever comes in.  Used by the trace
// check, which must name the byte that breaks a rule.
//
// Stricter than the grammar where viewers are: strings must be well-formed
// UTF-8 and escaped surrogates must pair.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace snapscope {

class JsonScanner {
  public:
    // Fills `data` with up to `size` bytes; 0 at the end.
    using Read = std::function<Result<std::size_t>(char* data, std::size_t size)>;
    enum class Token { begin_object, end_object, begin_array, end_array, key, string, number, literal, end };

    static constexpr std::size_t max_depth = 128;
    static constexpr std::size_t kept_bytes = std::size_t{64} * 1024; // of one string or number

    explicit JsonScanner(Read read);

    // The next token; after `end` there is none.  A failure is final and its
    // message begins with "byte N: " unless read_failed().
    [[nodiscard]] Result<Token> next();
    // Skips the value whose first token was just returned.
    [[nodiscard]] Status skip_value(Token first);

    // Of the last token: where it begins, and its text (a string decoded, a
    // number or literal as written), cut off after kept_bytes.
    [[nodiscard]] std::uint64_t offset() const { return token_offset_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool read_failed() const { return read_failed_; }
    [[nodiscard]] std::uint64_t error_offset() const { return error_offset_; }

  private:
    enum class Expect { value, value_or_end, key, key_or_end, colon, comma_or_end, nothing };
    struct Level {
        bool object;
    };

    [[nodiscard]] int peek(); // -1 at the end or after a failed read
    int take();
    [[nodiscard]] Result<Token> value(bool may_end);
    [[nodiscard]] Result<Token> open(bool object);
    [[nodiscard]] Result<Token> close(bool object);
    [[nodiscard]] Status string();
    [[nodiscard]] Status escape();
    [[nodiscard]] Result<std::uint32_t> hex4();
    [[nodiscard]] Status utf8_tail(int lead);
    [[nodiscard]] Status number();
    [[nodiscard]] Status digits();
    [[nodiscard]] Status literal();
    void keep(int byte);
    void keep_code_point(std::uint32_t value);
    void after_value();
    [[nodiscard]] tl::unexpected<Error> error(const std::string& what, bool at_next = true);

    Read read_;
    std::vector<char> buffer_;
    std::size_t used_ = 0, filled_ = 0;
    std::uint64_t consumed_ = 0; // bytes taken
    bool ended_ = false, read_failed_ = false;
    Error read_error_;
    std::uint64_t error_offset_ = 0;

    std::vector<Level> levels_;
    Expect expect_ = Expect::value;
    std::uint64_t token_offset_ = 0;
    std::string text_;
};

} // namespace snapscope

// One line a sample, its fields by their form rather than their place, since
// -F chooses them:
//
//   postgres  4242 [003] 12.000001:  100 cpu/mem-loads,ldlat=30/P:  7f0012345678
//     229080142 |OP LOAD|LVL L1 hit|SNP N/A|TLB L1 or L2 hit|LCK N/A|BLK  N/A  12
//     55d0c0ffee GetSnapshotData+0x12 (/usr/lib/postgresql/13/bin/postgres)
//
// (in one line).  A line that begins with a blank and holds no event is a frame
// of a call chain.
#include <snapscope/base/text.hpp>
#include <snapscope/readers/perf_script.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::uint64_t line_mask = ~std::uint64_t{63};
constexpr std::size_t most_places = 200'000; // of lines or functions that are told apart
constexpr std::size_t shown_losses = 3;

struct Sample {
    std::optional<std::uint32_t> cpu;
    std::optional<double> time_s, period;
    std::optional<std::uint64_t> address, data_src;
    std::string data_words; // behind the data_src, as perf decoded it
    std::string function;
};

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!(text = trim(text)).empty()) {
        const auto word = text.substr(0, text.find_first_of(" \t"));
        out.push_back(word);
        text.remove_prefix(word.size());
    }
    return out;
}

// "[003]" -> 3
std::optional<std::uint32_t> cpu_of(std::string_view word) {
    if (word.size() < 3 || word.front() != '[' || word.back() != ']')
        return std::nullopt;
    return parse_integer<std::uint32_t>(word.substr(1, word.size() - 2));
}

// "12.000001:" -> 12.000001
std::optional<double> time_of(std::string_view word) {
    if (word.size() < 3 || word.back() != ':' || word.find('.') == std::string_view::npos)
        return std::nullopt;
    const auto value = parse_double(word.substr(0, word.size() - 1));
    return value && *value >= 0 ? value : std::nullopt;
}

// "cycles:", "cpu/mem-loads,ldlat=30/P:", "ibs_op//:": a word that ends in a
// colon and is no time.
bool is_event(std::string_view word) {
    return word.size() > 1 && word.back() == ':' && !time_of(word) && word.front() != '[' &&
           !(word.front() >= '0' && word.front() <= '9');
}

std::optional<std::uint64_t> hex(std::string_view word) {
    return word.empty() || word.size() > 16 ? std::nullopt : parse_integer<std::uint64_t>(word, 16);
}

// What stands behind the event: [address] [data_src |words|] ... [ip symbol (object)]
void take_tail(std::string_view tail, Sample& out) {
    const auto bar = tail.find(" |OP ");
    std::string_view before = tail.substr(0, bar);
    std::string_view after;
    if (bar != std::string_view::npos) {
        const auto words = words_of(before);
        if (!words.empty())
            out.data_src = hex(words.back());
        if (words.size() > 1)
            out.address = hex(words[words.size() - 2]);
        after = tail.substr(bar + 1);
        const auto last = after.rfind('|');
        out.data_words = after.substr(0, last);
        before = last == std::string_view::npos ? std::string_view{} : after.substr(last + 1);
    }
    // "... ip symbol+0x12 (object)"
    const auto object = before.rfind(" (");
    const auto words = words_of(before.substr(0, object));
    if (object == std::string_view::npos || words.empty())
        return;
    // The last address that a name follows.
    std::size_t at = words.size() - 1;
    while (at > 0 && !(hex(words[at - 1]) && words[at - 1].size() > 4))
        --at;
    if (at == 0)
        return;
    for (; at < words.size(); ++at)
        out.function += (out.function.empty() ? "" : " ") + std::string(words[at]);
    if (const auto plus = out.function.rfind("+0x"); plus != std::string::npos)
        out.function.resize(plus);
    if (out.function == "[unknown]")
        out.function = "?";
}

std::optional<Sample> sample_of(std::string_view line) {
    Sample out;
    std::size_t event_end = 0;
    std::string_view previous;
    for (const std::string_view word : words_of(line)) {
        if (!out.cpu)
            out.cpu = cpu_of(word);
        if (!out.time_s)
            out.time_s = time_of(word);
        else if (is_event(word)) {
            event_end = static_cast<std::size_t>(word.data() - line.data()) + word.size();
            if (const auto period = parse_integer<std::uint64_t>(previous))
                out.period = static_cast<double>(*period);
            break;
        }
        previous = word;
    }
    if (event_end == 0)
        return std::nullopt;
    take_tail(line.substr(event_end), out);
    return out;
}

// "LOAD" of "|OP LOAD|LVL L1 hit|": what perf says behind `key`.
std::string perf_word(const std::string& words, const std::string& key) {
    const auto at = words.find("|" + key + " ");
    if (at == std::string::npos)
        return "";
    const std::size_t from = at + key.size() + 2;
    return std::string(trim(std::string_view(words).substr(from, words.find('|', from) - from)));
}

bool contradicts(const Sample& sample, const DataSrc& source) {
    const std::string op = perf_word(sample.data_words, "OP");
    const std::string snoop = perf_word(sample.data_words, "SNP");
    return (!op.empty() && op != op_text(source)) || (!snoop.empty() && !snoop.starts_with(snoop_text(source)));
}

class Reader {
  public:
    explicit Reader(const std::string& label) : label_(label) {}

    Result<PerfScript> read(std::string_view text) {
        for (std::size_t number = 1; !text.empty(); ++number) {
            const auto end = text.find('\n');
            const bool ended = end != std::string_view::npos;
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(ended ? end + 1 : text.size());
            take(line, number, ended);
        }
        if (out_.samples == 0)
            return fail(label_ + " holds no sample of perf script",
                        "print with 'perf script -F comm,tid,cpu,time,period,event,addr,data_src,ip,sym,dso'");
        out_.has_period = with_period_ == out_.samples;
        if (crowded_)
            out_.notes.push_back(fmt::format(
                "{}: more than {} lines or functions: the rest is counted in the totals alone", label_, most_places));
        if (out_.contradictions > 0)
            out_.notes.push_back(
                fmt::format("{}: {} samples whose data_src says something else than perf's words beside it", label_,
                            out_.contradictions));
        return std::move(out_);
    }

  private:
    void take(std::string_view line, std::size_t number, bool ended) {
        const std::string_view content = trim(line);
        if (content.empty() || content.front() == '#')
            return;
        const auto sample = sample_of(line);
        if (!sample && (line.front() == '\t' || line.starts_with("    ")) && hex(words_of(content).front()))
            return; // a frame
        if (!sample || !ended) {
            if (++out_.lines_lost <= shown_losses)
                out_.notes.push_back(fmt::format("{}: line {} {}: left out", label_, number,
                                                 sample ? "has no line end, so it may be cut off" : "is no sample"));
            return;
        }
        count(*sample);
    }

    void count(const Sample& sample) {
        ++out_.samples;
        if (sample.period)
            ++with_period_;
        if (sample.time_s) {
            out_.first_s = std::min(out_.first_s.value_or(*sample.time_s), *sample.time_s);
            out_.last_s = std::max(out_.last_s.value_or(*sample.time_s), *sample.time_s);
        }
        SampleCounts one;
        one.samples = 1;
        if (sample.data_src)
            count_memory(sample, decode_data_src(*sample.data_src), one);
        add(out_.all, one);
        add_to(out_.by_function, sample.function.empty() ? "?" : sample.function, one);
        if (sample.cpu)
            add_to(out_.by_cpu, *sample.cpu, one);
        if (sample.address && one.hitm() > 0) {
            add_to(out_.by_line, *sample.address & line_mask, one);
            add_to(out_.by_address, *sample.address, one);
        }
    }

    void count_memory(const Sample& sample, const DataSrc& source, SampleCounts& one) {
        ++out_.memory_samples;
        if (contradicts(sample, source))
            ++out_.contradictions;
        if (is_store(source))
            ++out_.stores;
        const Known hitm = is_hitm(source);
        if (hitm != Known::not_told)
            ++out_.snoop_told;
        if (!is_load(source))
            return;
        ++out_.loads;
        if (level_text(source) != "L1 hit" && level_text(source) != "N/A")
            ++out_.load_misses;
        if (hitm != Known::yes)
            return;
        const double period = sample.period.value_or(0);
        switch (is_remote(source)) {
        case Known::yes:
            one.hitm_remote = 1;
            one.period_remote = period;
            break;
        case Known::no:
            one.hitm_local = 1;
            one.period_local = period;
            break;
        case Known::not_told:
            one.hitm_unplaced = 1;
            break;
        }
    }

    static void add(SampleCounts& to, const SampleCounts& one) {
        to.samples += one.samples;
        to.hitm_local += one.hitm_local;
        to.hitm_remote += one.hitm_remote;
        to.hitm_unplaced += one.hitm_unplaced;
        to.period_local += one.period_local;
        to.period_remote += one.period_remote;
    }
    template <typename Map> void add_to(Map& places, const typename Map::key_type& place, const SampleCounts& one) {
        const auto at = places.find(place);
        if (at != places.end())
            add(at->second, one);
        else if (places.size() < most_places)
            places.emplace(place, one);
        else
            crowded_ = true;
    }

    const std::string& label_;
    PerfScript out_;
    std::uint64_t with_period_ = 0;
    bool crowded_ = false;
};

} // namespace

Result<PerfScript> read_perf_script(std::string_view text, const std::string& label) {
    return Reader(label).read(text);
}

} // namespace snapscope

// The readers of pcm's forms, and what they share.
#pragma once

#include <snapscope/readers/pcm.hpp>

namespace snapscope {

// nullopt: the text is not of that form.
[[nodiscard]] std::optional<Result<PcmRecording>> read_pcm_csv(std::string_view text, const std::string& label);
[[nodiscard]] std::optional<Result<PcmRecording>> read_pcm_screen(std::string_view text, const std::string& label);
[[nodiscard]] std::optional<Result<PcmRecording>> read_pcm_link_table(std::string_view text, const std::string& label);

// One line of `text`, removed from it; `ended` by a line end.
struct PcmLine {
    std::string_view text;
    std::size_t number = 0;
    bool ended = false;
};
class PcmLines {
  public:
    explicit PcmLines(std::string_view text);
    [[nodiscard]] std::optional<PcmLine> next();

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

} // namespace snapscope

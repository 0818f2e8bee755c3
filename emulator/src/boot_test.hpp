// What the tests that boot share: a server, its image and a small load.
#pragma once

#include <snapscope/emulator/emulation.hpp>
#include <snapscope/emulator/guest_image.hpp>
#include <snapscope/emulator/row.hpp>

#include <cstdlib>
#include <gtest/gtest.h>

namespace snapscope::emulator {

// PREFIX_VARIABLE names the server; skips where there is none, or no QEMU.
class BootTest : public testing::Test {
  protected:
    void use_server(const char* prefix_variable) {
        const char* prefix = std::getenv(prefix_variable);
        if (prefix == nullptr)
            GTEST_SKIP() << prefix_variable << " names no PostgreSQL";
        auto packages = find_packages(cache_folder());
        if (!packages)
            GTEST_SKIP() << packages.error().message();
        packages_ = std::move(*packages);
        auto server = describe_server(prefix);
        ASSERT_TRUE(server) << server.error().message();
        server_ = std::move(*server);
        auto image = provide_image(cache_folder(), *server_, quiet_, nullptr);
        ASSERT_TRUE(image) << image.error().message();
        image_ = std::move(*image);
    }

    Result<Emulation> run(const EmulationOptions& options, const std::atomic<bool>* stop = nullptr) {
        return emulate({packages_, *server_, machine_, image_}, options, quiet_, stop);
    }

    static EmulationOptions small_load(const std::string& mode) {
        EmulationOptions options;
        options.mode = mode;
        options.clients = 4;
        options.phases = {{5000, 20}};
        options.limit = std::chrono::seconds(550);
        return options;
    }

    Progress quiet_ = [](std::string_view) {};
    Packages packages_;
    std::optional<ServerMap> server_;
    std::filesystem::path image_;
    Machine machine_ = *machine_from_shape("2x2");
};

} // namespace snapscope::emulator

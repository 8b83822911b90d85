# Homebrew's recipe, for Linux: brew install --build-from-source ./trawl.rb, beside the source archive of ./dev package.
# Tried without Homebrew: a Ruby program with functions of the same names took the steps in Debian.
class Trawl < Formula
  desc "Exact string search, as grep -F, with all cores and GPUs"
  homepage "https://trawl.invalid"
  url "file://#{File.expand_path("trawl-1.0.0.tar.gz", __dir__)}"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "python@3.13" => :build
  depends_on "jansson"
  depends_on "libmicrohttpd"
  depends_on :linux
  depends_on "lz4"
  depends_on "re2"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DTRAWL_BENCH=OFF",
           "-DTRAWL_WERROR=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"sea.txt").write "one fish\ntwo\n"
    assert_equal "1\n", shell_output("#{bin}/trawl -c fish sea.txt")
    assert_equal "1\n", shell_output("#{bin}/trawl -E -c 'f[a-i]sh' sea.txt")
  end
end

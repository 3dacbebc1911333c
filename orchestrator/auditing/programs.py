"""What programs do, as far as rules have to know: fetch, install packages, handle files, search, or only talk."""

from __future__ import annotations

DOWNLOADERS = frozenset(
    {"curl", "wget", "wget2", "aria2c", "axel", "fetch", "lftp", "http", "https", "eget", "ubi", "dra", "gdown",
     "download", "get", "add-apt-repository", "apt-add-repository", "gsutil", "aws", "gcloud", "az", "s3cmd", "oras",
     "gh", "hub", "glab", "rclone", "azcopy", "Invoke-WebRequest", "iwr", "curl_retry", "wget_retry", "download_file",
     "installer", "binenv", "stew", "mc"}
)  # fmt: skip
PACKAGE_MANAGERS = frozenset(
    {"apt", "apt-get", "aptitude", "apt-mark", "dpkg", "rpm", "yum", "dnf", "microdnf", "tdnf", "zypper", "apk",
     "pacman",
     "gdebi", "install_packages", "clean-install", "apt-install", "yay", "eatmydata", "emerge", "xbps-install", "opkg",
     "yumdownloader", "dnf5", "nala", "apt-fast", "alien", "urpmi", "snap", "flatpak"}
)  # fmt: skip
SUMMERS = frozenset(
    {"sha256sum", "sha512sum", "sha1sum", "sha384sum", "md5sum", "shasum", "b2sum", "cksum", "gsha256sum", "sha224sum",
     "openssl", "rhash"}
)  # fmt: skip
FILE_TOOLS = frozenset(
    {"tar", "bsdtar", "unzip", "gunzip", "bunzip2", "7z", "7za", "xz", "unxz", "zstd", "gzip", "cp", "mv", "ln",
     "install",
     "cat", "rsync", "ar", "dd", "strip", "upx", "patchelf", "pv", "cpio", "tee", "unsquashfs", "readlink", "realpath",
     "bash", "sh", "source", ".", "alternatives", "update-alternatives", "setcap", "gpg", "gpgv", "minisign", "cosign"}
)  # fmt: skip
QUIET = frozenset(
    {"find", "su", "runuser", "rm", "rmdir", "mkdir", "cd", "pushd", "popd", "touch", "ls", "test", "[", "which",
     "type", "file", "stat", "du",
     "chmod", "chown", "chgrp", "exit", "return", "true", "false", ":", "basename", "dirname", "unset", "read", "hash",
     "git", "docker", "podman", "buildah", "nerdctl", "skopeo", "crane", "update-binfmts", "objdump", "readelf", "nm",
     "sdkmanager", "avdmanager", "sed", "awk", "gawk", "mawk", "perl", "tr", "cut", "sort", "uniq", "wc", "diff", "cmp",
     "usermod", "useradd", "groupadd", "locale-gen", "ulimit", "sleep", "kill", "help2man", "man", "lscpu", "uname",
     "strings", "ldd", "qemu-img", "gpg-agent", "helm-docs", "die", "fail", "error", "warn", "log", "info", "usage",
     "err", "abort", "fatal", "debug", "notice", "msg", "print", "echo_info", "log_info", "log_error", "say"}
)  # fmt: skip
TALKERS = frozenset({"echo", "printf"})
SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg", "jq", "awk", "gawk", "mawk", "sed", "yq", "htmlq", "pup", "ag"})
FILE_SHELLS = frozenset({"tee", "sponge"})
VALUE_OPTIONS = {
    "curl": frozenset(
        {"-o", "--output", "-H", "--header", "-A", "--user-agent", "-d", "--data", "-u", "--user", "-e", "--referer",
         "-b", "-c", "-w", "--write-out", "-D", "-x", "-m", "--output-dir", "-T", "-F", "-E", "--cacert", "-K"}
    ),
    "wget": frozenset(
        {"-O", "--output-document", "-P", "--directory-prefix", "-U", "--user-agent", "--header", "-o", "-a"}
    ),
    "aria2c": frozenset({"-o", "--out", "-d", "--dir", "-U", "--header"}),
    "gh": frozenset({"-O", "--output", "-D", "--dir", "-R", "--repo"}),
}  # fmt: skip
"""Options of downloaders whose value stands in the next word and is no address."""
OUTPUT_OPTIONS = frozenset(
    {"-o", "--output", "-O", "--output-document", "--out", "-P", "-D", "--dir", "-d", "--output-dir"}
)

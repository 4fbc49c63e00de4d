#!/usr/bin/env bash
# Unpacks a Debian package into a folder without running the package's scripts or starting services.
# Does nothing if the folder exists.
#
# Usage: unpack_package.sh PACKAGE FOLDER
set -euo pipefail

package=$1 folder=$2
[[ -d $folder ]] && exit 0

new=$folder.new
rm -rf "$new"
mkdir -p "$new/download"
apt-cache show "$package" &>/dev/null || apt-get update -q
(cd "$new/download" && apt-get download -q "$package")
dpkg-deb --extract "$new/download/${package}"_*.deb "$new"
rm -r "$new/download"
mv "$new" "$folder"

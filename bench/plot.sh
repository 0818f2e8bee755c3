#!/usr/bin/env bash
# plot.sh SNAPSHOT.json WRITERS.json [FOLDER]
#
# Makes FOLDER/cached-snapshot-numbers.md and FOLDER/pictures/*.svg (FOLDER:
# docs/) out of what `./dev bench snapshot --format json` and `./dev bench
# writers --format json` printed.  What was not measured is left out of a
# picture and says "absent" in a table.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# == 2 || $# == 3 ]] || { echo "usage: plot.sh SNAPSHOT.json WRITERS.json [FOLDER]" >&2 && exit 2; }
snapshot=$1
writers=$2
folder=${3:-$here/../docs}
for program in node gnuplot; do
    command -v "$program" >/dev/null || { echo "error: there is no $program; ./dev setup installs it" >&2 && exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder/pictures"

node "$here/plot/series.mjs" "$snapshot" "$writers" "$work"
(cd "$work" && gnuplot "$here/plot/pictures.gp")
for picture in "$work"/*.svg; do
    [[ -s "$picture" ]] || { echo "error: gnuplot drew no ${picture##*/}" >&2 && exit 1; }
    name=$(basename "$picture" .svg)
    # Which program drew it is no part of the picture.
    sed -e '/^<desc>/d' -e "s#^<title>Gnuplot</title>#<title>$name</title>#" -e 's/[[:space:]]*$//' "$picture" \
        >"$folder/pictures/$name.svg"
done
node "$here/plot/numbers.mjs" "$snapshot" "$writers" >"$work/numbers.md"
mv "$work/numbers.md" "$folder/cached-snapshot-numbers.md"

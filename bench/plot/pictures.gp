# Draws NAME.svg from NAME.data in the folder it runs in; see series.mjs.
set datafile missing "?"
set key outside right center reverse Left samplen 2
set grid ytics lc rgb "#d0d0d0"
set border 3
set tics nomirror
set offsets 0.3, 0.3, 0, 0

# Distinct without their colours, too.
set linetype 1 lc rgb "#000000" lw 1.5 pt 6 ps 0.6
set linetype 2 lc rgb "#7f7f7f" lw 1.5 pt 4 ps 0.6
set linetype 3 lc rgb "#0072b2" lw 1.5 pt 8 ps 0.7
set linetype 4 lc rgb "#56b4e9" lw 1.5 pt 10 ps 0.7
set linetype 5 lc rgb "#d55e00" lw 2 pt 7 ps 0.7
set linetype 6 lc rgb "#009e73" lw 1.5 pt 12 ps 0.7

terminal(name) = sprintf("set terminal svg size 760,420 dynamic background 'white' font 'sans-serif,13'; \
    set output '%s.svg'", name)
# Side by side, so that bars that lie on each other can be told apart.  The
# labels come from points that are not drawn.
draw = "plot name . '.data' using 1:(1):xtic(2) with points ps 0 notitle, \
    for [i = 0:count - 1] name . '.data' using \
    ($1 + (i - count / 2) * 0.04):(column(3 + 3 * i)):(column(4 + 3 * i)):(column(5 + 3 * i)) \
    with yerrorlines lt (i + first) title columnheader(3 + 3 * i)"

set xlabel "idle connections"
set ylabel "ns a snapshot (median, quartiles)"
set logscale y
count = 6
first = 1
do for [name in "snapshot-ns-set snapshot-ns-new"] {
    set title (name eq "snapshot-ns-set" ? "own xmin set already" : "own xmin published by each call")
    eval(terminal(name))
    eval(draw)
}

unset logscale y
set title "server CPU a transaction, relative to unpatched"
set ylabel "ratio (95 % interval)"
set yrange [0:*]
set xlabel "idle connections, clients"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 2 lc rgb "#808080"
count = 6
first = 1
set linetype 1 lc rgb "#b0b0b0" lw 1.5 pt 6 ps 0.6
name = "snapshot-cpu"
eval(terminal(name))
eval(draw)
unset arrow 1
set linetype 1 lc rgb "#000000" lw 1.5 pt 6 ps 0.6

set xlabel "transactions that write, %"
set title "8 clients, by share of writers"
set ylabel "transactions a second (median, quartiles)"
count = 5
name = "writers-tps"
eval(terminal(name))
eval(draw)

set ylabel "share of snapshots reused (median, quartiles)"
set yrange [0:1]
count = 4
first = 2
name = "writers-reused"
eval(terminal(name))
eval(draw)

/** What is typed into a program, or the size that its terminal gets. */
export type Step = string | { readonly cols: number; readonly rows: number };

export interface RecordedProgram {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly argv: readonly string[];
  /** Each after the program has fallen silent. */
  readonly steps: readonly Step[];
}

const SMALL = { cols: 80, rows: 24 };
const LARGE = { cols: 120, rows: 40 };
const CTRL = {
  c: "\x03",
  d: "\x04",
  r: "\x12",
  l: "\x0c",
  b: "\x02",
  w: "\x17",
  o: "\x0f",
  x: "\x18",
  k: "\x0b",
  u: "\x15",
};
const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";
/** A click of the left button, in SGR encoding. */
const click = (col: number, row: number): string => `\x1b[<0;${col};${row}M\x1b[<0;${col};${row}m`;
const wheelDown = (col: number, row: number): string => `\x1b[<65;${col};${row}M`;

/** The programs of the corpus, each with what makes it show what it can. */
export const PROGRAMS: readonly RecordedProgram[] = [
  {
    name: "vim",
    ...SMALL,
    argv: ["vim", "water.c"],
    steps: [
      "/beds\r",
      "5G",
      "onew line\x1b",
      "V3j",
      "\x1b",
      ":split notes/plants.txt\r",
      { cols: 100, rows: 30 },
      "G",
      ":set list\r",
      { cols: 80, rows: 24 },
      ":only\r",
      "ggdG",
      "u",
      ":qa!\r",
    ],
  },
  {
    name: "vim-kitty-mouse",
    ...LARGE,
    argv: [
      "vim",
      "--cmd",
      'let &t_TI = "\\e[>1u"',
      "--cmd",
      'let &t_TE = "\\e[<u"',
      "--cmd",
      'let &t_SI = "\\e[6 q"',
      "--cmd",
      'let &t_EI = "\\e[2 q"',
      "notes/plants.txt",
    ],
    steps: [
      click(12, 3),
      "ihello \x1b[27u",
      "\x1b",
      wheelDown(10, 5),
      ":vsplit water.c\r",
      click(90, 6),
      "ix\x1b",
      ":terminal bash --norc\r",
      "echo inside\r",
      "exit\r",
      ":qa!\r",
    ],
  },
  {
    name: "nano",
    ...SMALL,
    argv: ["nano", "notes/plants.txt"],
    steps: [
      "typed here ",
      DOWN + DOWN,
      CTRL.k,
      CTRL.u,
      CTRL.w,
      "seed\r",
      { cols: 60, rows: 20 },
      click(10, 5),
      "\x07",
      CTRL.x,
      CTRL.x,
      "n",
    ],
  },
  {
    name: "htop",
    ...SMALL,
    argv: ["htop", "--delay=7"],
    steps: ["t", { cols: 100, rows: 30 }, "\x1bOR", "ba", "\x1b", click(12, 12), "\x1bOQ", "\x1b", "q"],
  },
  {
    name: "less",
    ...SMALL,
    argv: ["less", "-N", "-M", "notes/list.txt"],
    steps: [" ", " ", "/row 77\r", "n", "b", "k", "k", "-S\r", "G", { cols: 64, rows: 30 }, "50%", "g", "q"],
  },
  {
    name: "man",
    ...SMALL,
    argv: ["man", "-P", "less -R", "grep"],
    steps: [" ", " ", "/PATTERN\r", "n", { cols: 100, rows: 24 }, "G", "k", "h", "q", "q"],
  },
  {
    name: "git-log",
    ...SMALL,
    argv: ["git", "-c", "core.pager=less -R", "-c", "color.ui=always", "log", "--graph", "--stat", "-p"],
    steps: [" ", " ", " ", "k", "/stones\r", "q"],
  },
  {
    name: "ls",
    ...SMALL,
    argv: [
      "sh",
      "-c",
      "ls --color=always -la; ls --color=always -F --hyperlink=always | cat; ls --color=always -lR; cat notes/plants.txt",
    ],
    steps: [],
  },
  {
    name: "npm",
    ...SMALL,
    argv: [
      "sh",
      "-c",
      "npm run; npm start; npm test; npm pkg get scripts; npm ls; npm run nothing; npm help run | head -60",
    ],
    steps: [],
  },
  {
    name: "bash",
    ...SMALL,
    argv: ["bash", "--rcfile", "/home/ada/.bashrc"],
    steps: [
      "ls no\t\r",
      "echo one two three" + LEFT + LEFT + LEFT + "X",
      "\x1bb\x1bb\x17\r",
      "for i in 1 2 3; do\r",
      "echo $i; done\r",
      CTRL.r + "for",
      "\r",
      `echo ${"long ".repeat(24)}`,
      { cols: 60, rows: 20 },
      CTRL.c,
      UP + UP,
      CTRL.c,
      "cat <<END\r日本語\rEND\r",
      CTRL.l,
      "seq 40\r",
      "exit\r",
    ],
  },
  {
    name: "fish",
    ...SMALL,
    argv: ["fish", "--no-config"],
    steps: [
      "ls no\t",
      "\r",
      "echo hel",
      CTRL.c,
      "echo hello # comment\r",
      "echo h",
      "\x1b[C\r",
      "ls \t\t",
      "\x1b\x1b",
      CTRL.c,
      { cols: 50, rows: 16 },
      "if true\recho yes\rend\r",
      UP + UP,
      CTRL.c,
      "exit\r",
    ],
  },
  {
    name: "zsh",
    ...SMALL,
    argv: ["zsh", "-d"],
    steps: [
      "ls \t\t",
      "\t",
      CTRL.c,
      "echo right prompt\r",
      `echo ${"wide ".repeat(20)}`,
      CTRL.c,
      { cols: 48, rows: 24 },
      "print -P '%B%F{red}bold%f%b'\r",
      CTRL.r,
      "ri",
      CTRL.c,
      CTRL.l,
      "exit\r",
    ],
  },
  {
    name: "tmux",
    ...SMALL,
    argv: ["tmux"],
    steps: [
      "ls --color\r",
      `${CTRL.b}%`,
      "seq 60\r",
      `${CTRL.b}"`,
      "cat notes/plants.txt\r",
      { cols: 100, rows: 30 },
      `${CTRL.b}[`,
      UP.repeat(5),
      "q",
      click(10, 5),
      `${CTRL.b}c`,
      "vim water.c\r",
      ":q\r",
      `${CTRL.b}w`,
      "q",
      `${CTRL.b}:kill-server\r`,
    ],
  },
  {
    name: "mc-mouse",
    ...SMALL,
    argv: ["mc", "--nosubshell", "-x"],
    steps: [
      click(10, 6),
      DOWN + DOWN,
      "\t",
      click(60, 5),
      "\x1bOR",
      "\x1b\x1b",
      { cols: 110, rows: 34 },
      click(5, 1),
      "\x1b\x1b",
      CTRL.o,
      "\r",
      "\x1b[21~",
      "\r",
    ],
  },
  {
    name: "screens",
    ...SMALL,
    argv: [
      "sh",
      "-c",
      "seq 50; tput smcup; tput cup 5 5; printf '\\033[44m'; tput ed; echo over; tput csr 3 10; tput cup 10 0; seq 8; tput sc; tput cup 20 20; printf '\\033(0lqqk\\033(B'; tput rc; tput csr 0 23; tput sgr0; tput rmcup; cat notes/plants.txt; whiptail --title Garden --menu 'What to do?' 15 50 4 1 dig 2 water 3 weed",
    ],
    steps: [DOWN, DOWN, "\r"],
  },
];

#!/bin/sh
# Runs a program as user "ada" of host "demo" in a home that is made here, and sees no process but its own: a recording then tells
# nothing of the machine it was made on. Needs root. Usage: sandbox.sh PROGRAM [ARGUMENT...], inside `unshare --uts --mount --pid --fork --mount-proc`.
set -eu

hostname demo
mount -t tmpfs none /home
mkdir /home/ada /home/.etc
printf 'root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/bash\n' >/home/.etc/passwd
printf 'root:x:0:\nada:x:1000:\n' >/home/.etc/group
mount --bind /home/.etc/passwd /etc/passwd
mount --bind /home/.etc/group /etc/group
mount -t tmpfs none /tmp

export HOME=/home/ada USER=ada LOGNAME=ada
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
cd "$HOME"
mkdir -p garden/notes garden/bin garden/.config
cat >garden/water.c <<'END'
#include <stdio.h>

/* How much water a bed needs, in litres. */
static int litres(int beds, int days)
{
	return beds * days * 3 / 2;
}

int main(void)
{
	for (int beds = 1; beds <= 12; beds++)
		printf("%d beds: %d litres\n", beds, litres(beds, 7));
	return 0;
}
END
cat >garden/notes/plants.txt <<'END'
Gemüse: Möhren, Rüben, Zwiebeln, Süßkartoffeln
庭の植物: トマト、きゅうり、なす、かぼちゃ、大根、ほうれん草、春菊、小松菜、白菜、玉ねぎ、人参
정원: 토마토, 오이, 가지, 호박
emoji 🌱🍅🥕 and é (combining), ║ boxes ═ ─ │ ┌ ┐
A line that is much longer than the terminal is wide, so that it has to be wrapped by whoever shows it: seed, leaf, stem, root, flower, fruit, seed, leaf, stem, root, flower, fruit.
END
seq -f 'row %g of the long list: carrots, onions, beans and a few other things' 1 400 >garden/notes/list.txt
printf '{ "name": "garden", "version": "1.2.0", "scripts": { "start": "echo watered; seq 5", "test": "echo 3 of 3 beds" } }\n' >garden/package.json
printf '#!/bin/sh\necho grow\n' >garden/bin/grow
chmod +x garden/bin/grow
ln -s notes/list.txt garden/list
mkfifo garden/hose
cd garden
git init -q -b main .
for step in seeds beds water fence; do
	export GIT_AUTHOR_DATE="2030-03-0${#step} 10:00:00 +0000" GIT_COMMITTER_DATE="2030-03-0${#step} 10:00:00 +0000"
	echo "$step" >"$step.md"
	git add "$step.md" water.c package.json notes
	git commit -q -m "Add $step to the garden"
	if [ "$step" = beds ]; then git branch terrace; fi
done
git checkout -q terrace
echo stones >terrace.md
git add terrace.md
git commit -q -m "Lay the stones of the terrace"
git checkout -q main
git merge -q -m "Merge the terrace" terrace
sed -i 's/3 \/ 2/5 \/ 3/; s/How much/The amount of/' water.c

printf "PS1='\\[\\e]133;A\\a\\e]0;\\w\\a\\e[1;32m\\]\\u@\\h\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\]\\$ \\[\\e]133;B\\a\\]'\nPS0='\\e]133;C\\a'\n" >../.bashrc
printf "PROMPT='%%F{green}%%n%%f %%1~ %%# '\nRPROMPT='%%F{yellow}%%D{right}%%f'\nautoload -Uz compinit && compinit -u\nzstyle ':completion:*' menu select\n" >../.zshrc
printf 'set -g status-right demo\nset -g default-command "bash --rcfile ~/.bashrc"\nset -g mouse on\nset -g escape-time 0\n' >../.tmux.conf
printf 'syntax on\nset number mouse=a ttymouse=sgr hlsearch nocompatible laststatus=2 noswapfile viminfo=\n' >../.vimrc
printf 'set linenumbers\nset mouse\nset softwrap\n' >../.nanorc
chown -R 1000:1000 /home/ada

exec setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all \
	env -i HOME=/home/ada USER=ada LOGNAME=ada SHELL=/bin/bash TERM=xterm-256color COLORTERM=truecolor LANG=C.UTF-8 \
	PATH="$RECORDED_PATH" npm_config_update_notifier=false GIT_CONFIG_NOSYSTEM=1 "$@"

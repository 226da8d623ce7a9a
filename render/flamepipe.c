/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flamepipe: runs the pipe collect | fold | render for a command, or one of the programs by name. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/str.h"

static const char USAGE[] =
    "usage: flamepipe [-o FILE] [--fold OPTIONS] [--render OPTIONS] [COLLECT-OPTIONS] [-- COMMAND...]\n"
    "       flamepipe PROGRAM [ARGUMENT...]\n"
    "       flamepipe --exec-path | --version | --help\n"
    "\n"
    "Samples what COMMAND (or, with -a or -p PID, the machine or a process) does and draws it as a flame "
    "graph:\n"
    "collect COLLECT-OPTIONS -- COMMAND | fold OPTIONS | render OPTIONS > FILE\n"
    "\n"
    "  -o, --output FILE     the picture; .html draws on a canvas (default: flamepipe.svg)\n"
    "      --fold OPTIONS    options for fold, divided at blanks; may be repeated\n"
    "      --render OPTIONS  options for render, divided at blanks; may be repeated\n"
    "      --exec-path       print the folder of the programs, for PATH=\"$(flamepipe --exec-path):$PATH\"\n"
    "      --version         print the version\n"
    "  -h, --help            print this text\n"
    "\n"
    "Every other option before -- goes to collect. PROGRAM is collect, measure, fold, dump, compare or "
    "render.\n";

static const char *const NAMES[] = {"collect", "measure", "fold", "dump", "compare", "render"};

enum { COLLECT, FOLD, RENDER, NSTAGES };

/* An argument vector that grows; NULL-terminated. */
struct args {
	char **v;
	size_t n, cap;
};

static void args_add(struct args *a, const char *arg)
{
	a->v = grow(a->v, a->n + 1, &a->cap, sizeof *a->v);
	a->v[a->n++] = xstrdup(arg);
	a->v[a->n] = NULL;
}

static void args_add_words(struct args *a, const char *words)
{
	char *copy = xstrdup(words), *save = NULL;

	for (char *w = strtok_r(copy, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
		args_add(a, w);
	free(copy);
}

static void args_release(struct args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
}

struct options {
	struct args stage[NSTAGES];
	const char *output;
};

/* The folder of the programs: where this one stands when they stand there too (the build tree), else beside it as installed, else where they were
   installed. */
static void exec_path(struct str *dir)
{
	char self[4096], probe[4200];
	static const char *const places[] = {"", "/../libexec/flamepipe"};
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	dirname(self);
	for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++) {
		snprintf(probe, sizeof probe, "%s%s/collect", self, places[i]);
		if (access(probe, X_OK) < 0)
			continue;
		str_addf(dir, "%s%s", self, places[i]);
		return;
	}
	str_adds(dir, LIBEXECDIR "/flamepipe");
}

static char *program_path(const char *name)
{
	struct str path = {0};

	exec_path(&path);
	str_addf(&path, "/%s", name);
	return path.p;
}

/* flamepipe NAME ...: becomes that program. Returns when NAME is none. */
static void run_by_name(char **argv)
{
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
		if (strcmp(argv[1], NAMES[i]) != 0)
			continue;
		execv(program_path(NAMES[i]), argv + 1);
		die_errno("cannot run %s", program_path(NAMES[i]));
	}
}

/* The value of the option called word (short "-o" or long "--output"), if argv[*i] is that one; *i moves to the last word
   used. */
static const char *value_of(char **argv, int *i, const char *word)
{
	const char *arg = argv[*i];
	size_t n = strlen(word);
	bool is_long = word[1] == '-';

	if (strncmp(arg, word, n) != 0)
		return NULL;
	if (arg[n] == '\0') {
		if (!argv[*i + 1])
			die_usage("option '%s' needs a value", word);
		return argv[++*i];
	}
	if (is_long)
		return arg[n] == '=' ? arg + n + 1 : NULL;
	return arg + n;
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	close_stdout();
	exit(0);
}

static void print_exec_path(void)
{
	struct str dir = {0};

	exec_path(&dir);
	str_addc(&dir, '\n');
	print_and_exit(dir.p);
}

/* The options that only print something. */
static void answer(const char *arg)
{
	if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)
		print_and_exit(USAGE);
	if (strcmp(arg, "--version") == 0)
		print_and_exit("flamepipe " VERSION "\n");
	if (strcmp(arg, "--exec-path") == 0)
		print_exec_path();
}

/* The first word of each stage; dies where a program is missing, before anything is started or written. */
static void start_with_names(struct options *o)
{
	static const char *const stages[NSTAGES] = {"collect", "fold", "render"};

	for (int i = 0; i < NSTAGES; i++) {
		char *path = program_path(stages[i]);

		if (access(path, X_OK) < 0)
			die_errno("cannot run %s", path);
		free(path);
		args_add(&o->stage[i], stages[i]);
	}
}

/* Is this the first word of a command that stands without --? Its options must not be taken for ours. A word after an option that
   only collect knows may be that option's value. */
static bool starts_command(char **argv, int i, bool after_own_value)
{
	static const char *const flags[] = {"-a", "--all", "-v", "--verbose", "-q", "--quiet"};

	if (argv[i][0] == '-')
		return false;
	if (i == 1 || after_own_value || argv[i - 1][0] != '-' || strchr(argv[i - 1], '='))
		return true;
	for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
		if (strcmp(argv[i - 1], flags[f]) == 0)
			return true;
	return false;
}

static void parse(struct options *o, char **argv)
{
	bool own_value = false;
	int i = 1;

	for (; argv[i] && strcmp(argv[i], "--") != 0 && !starts_command(argv, i, own_value); i++) {
		const char *value;
		int before = i;

		answer(argv[i]);
		if ((value = value_of(argv, &i, "-o")) || (value = value_of(argv, &i, "--output")))
			o->output = value;
		else if ((value = value_of(argv, &i, "--fold")))
			args_add_words(&o->stage[FOLD], value);
		else if ((value = value_of(argv, &i, "--render")))
			args_add_words(&o->stage[RENDER], value);
		else
			args_add(&o->stage[COLLECT], argv[i]);
		own_value = i > before;
	}
	for (; argv[i]; i++)
		args_add(&o->stage[COLLECT], argv[i]);
}

/* Starts a stage with these two descriptors as its standard input and output; neither is kept open here. */
static pid_t start(const struct args *a, int in, int out)
{
	char *path = program_path(a->v[0]);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	errno = posix_spawn(&pid, path, &actions, &attr, a->v, environ);
	if (errno)
		die_errno("cannot run %s", path);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (in != STDIN_FILENO)
		close(in);
	close(out);
	free(path);
	return pid;
}

/* SIGTERM and SIGHUP are for collect, like Ctrl-C: the picture is finished, and nothing half written stays behind. */
static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

/* Exit status as a shell gives it; what ends this program meanwhile is passed on to collect. */
static int status_of(pid_t pid, pid_t collect)
{
	int status, signo;
	sigset_t set;
	pid_t done;

	watched_signals(&set);
	while ((done = waitpid(pid, &status, WNOHANG)) == 0)
		if ((signo = sigwaitinfo(&set, NULL)) == SIGTERM || signo == SIGHUP)
			kill(collect, SIGTERM);
	if (done < 0)
		die_errno("cannot wait for process %d", (int)pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs the three stages into the descriptor out. True when fold and render did well; *status is collect's. */
static bool run_pipe(const struct options *o, int out, int *status)
{
	int to_fold[2], to_render[2];
	pid_t pid[NSTAGES];
	bool drawn;

	if (pipe2(to_fold, O_CLOEXEC) < 0 || pipe2(to_render, O_CLOEXEC) < 0)
		die_errno("cannot make a pipe");
	pid[COLLECT] = start(&o->stage[COLLECT], STDIN_FILENO, to_fold[1]);
	pid[FOLD] = start(&o->stage[FOLD], to_fold[0], to_render[1]);
	pid[RENDER] = start(&o->stage[RENDER], to_render[0], out);
	*status = status_of(pid[COLLECT], pid[COLLECT]);
	drawn = status_of(pid[FOLD], pid[COLLECT]) == 0;
	return status_of(pid[RENDER], pid[COLLECT]) == 0 && drawn;
}

/* The picture is written beside its place and moved there when it is whole. A device or pipe is written to as it is. */
static int draw(const struct options *o)
{
	struct str temporary = {0};
	bool direct = strncmp(o->output, "/dev/", 5) == 0;
	int out, status;

	str_adds(&temporary, o->output);
	if (!direct)
		str_addf(&temporary, ".%d.part", (int)getpid());
	out = open(temporary.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0)
		die_errno("cannot write %s", o->output);
	if (!run_pipe(o, out, &status)) {
		if (!direct)
			unlink(temporary.p);
		warn("%s was not written", o->output);
		return status ? status : EXIT_FAILURE;
	}
	if (!direct && rename(temporary.p, o->output) < 0)
		die_errno("cannot write %s", o->output);
	fprintf(stderr, "flamepipe: wrote %s\n", o->output);
	str_release(&temporary);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.output = "flamepipe.svg"};
	sigset_t set;
	int status;

	keep_standard_descriptors();
	if (argc < 2)
		die_usage("a command, or a target such as -a, is needed");
	run_by_name(argv);
	answer(argv[1]);
	start_with_names(&o);
	parse(&o, argv);
	if (o.stage[COLLECT].n == 1)
		die_usage("a command, or a target such as -a, is needed");
	if (span_ends(span_of(o.output), SPAN(".html")))
		args_add_words(&o.stage[RENDER], "--format html");
	/* Ctrl-C is for collect, which has a handler of its own; the others inherit this and finish the picture. */
	signal(SIGINT, SIG_IGN);
	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	status = draw(&o);
	for (int i = 0; i < NSTAGES; i++)
		args_release(&o.stage[i]);
	return status;
}

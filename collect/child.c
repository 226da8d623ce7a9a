/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that is sampled: forked early, held until everything is ready, then let go. */
#include "collect/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/die.h"

/* In the child: waits for the word, then becomes the command; tells why it cannot. */
static _Noreturn void become(char **argv, int wait, int tell, bool output_to_stderr)
{
	sigset_t none;
	char byte;
	int why;

	if (read(wait, &byte, 1) != 1)
		_exit(127);
	if (output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	why = errno;
	if (write(tell, &why, sizeof why) < 0)
		_exit(127);
	_exit(why == ENOENT ? 127 : 126);
}

void child_start(struct child *c, char **argv, bool output_to_stderr)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		die_errno("cannot make a pipe");
	*c = (struct child){.go = go[1], .failed = failed[0]};
	c->pid = fork();
	if (c->pid < 0)
		die_errno("cannot start %s", argv[0]);
	if (c->pid == 0) {
		close(go[1]);
		become(argv, go[0], failed[1], output_to_stderr);
	}
	close(go[0]);
	close(failed[1]);
}

bool child_release(struct child *c)
{
	int why;
	ssize_t n;

	if (write(c->go, "", 1) != 1)
		return false;
	do
		n = read(c->failed, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	close(c->go);
	close(c->failed);
	if (n != (ssize_t)sizeof why)
		return true;
	waitpid(c->pid, NULL, 0);
	c->ended = true;
	c->status = why == ENOENT ? 127 : 126;
	errno = why;
	return false;
}

bool child_reap(struct child *c)
{
	int status;

	if (!c->pid || c->ended)
		return c->ended;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	c->ended = true;
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

# flamepipe: the whole pipe as one command.
load helper

@test "without arguments it says what is missing, status 2" {
	run flamepipe
	[ "$status" = 2 ]
	[[ "$output" == *"--help"* ]]
}

@test "--help and --version go to stdout" {
	flamepipe --help | grep -q '^usage: flamepipe'
	[ "$(flamepipe --version)" = "flamepipe 0.1" ]
}


@test "an unknown program is an option of collect, which refuses it" {
	run flamepipe --no-such-option -- true
	[ "$status" != 0 ]
}

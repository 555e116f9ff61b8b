// The command line: `bun run svc <command>`.
import { openTerminal } from "#api/cli/openTerminal.ts";
import { reportFailure } from "#api/cli/reportFailure.ts";
import { runCommand } from "#api/cli/runCommand.ts";
import { untilInterrupted } from "#api/cli/untilInterrupted.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

const terminal = openTerminal(process.stdout);
const code = await runCommand(process.argv.slice(2), {
	env: readEnvironment(),
	out: (line) => process.stdout.write(`${line}\n`),
	note(line) {
		// A bar that stands on the line is left as it is.
		terminal?.end();
		process.stderr.write(`${line}\n`);
	},
	terminal,
	interrupted: untilInterrupted,
}).catch((error) => reportFailure(error));
process.exit(code);

// The command line: `bun run svc <command>`.
import { runCommand } from "#api/cli/runCommand.ts";
import { openTerminal, reportFailure, untilInterrupted } from "#api/cli/serve.ts";
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

// The command line: `bun run svc <command>`.
import { reportFailure } from "#api/cli/reportFailure.ts";
import { runCommand } from "#api/cli/runCommand.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

const code = await runCommand(process.argv.slice(2), {
	env: readEnvironment(),
	out: (line) => process.stdout.write(`${line}\n`),
	note: (line) => process.stderr.write(`${line}\n`),
}).catch(reportFailure);
process.exit(code);

// Runs the service with the configuration of the environment.
import { wantsHelp } from "#api/cli/runCommand.ts";
import { reportFailure, serve } from "#api/cli/serve.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

const HELP = `bun run start

Runs the service on the chains in CHAINS, until Ctrl-C. Settings are environment variables:
.env.example lists them, \`bun run svc config print\` shows what a start would use.`;

// Without waiting for it at the top: a module that does so cannot be compiled ahead.
void start(process.argv.slice(2))
	.catch((error) => reportFailure(error))
	.then((code) => process.exit(code));

async function start(args: readonly string[]): Promise<number> {
	if (!wantsHelp(args, HELP)) return serve(readEnvironment());
	process.stdout.write(`${HELP}\n`);
	return 0;
}

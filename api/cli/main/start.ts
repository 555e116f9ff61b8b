// Runs the service with the configuration of the environment.
import { wantsHelp } from "#api/cli/runCommand.ts";
import { reportFailure, serve } from "#api/cli/serve.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

const HELP = `bun run start

Runs the service on the chains in CHAINS, until Ctrl-C. Settings are environment variables:
.env.example lists them, \`bun run svc config print\` shows what a start would use.`;

process.exit(await start(process.argv.slice(2)).catch((error) => reportFailure(error)));

async function start(args: readonly string[]): Promise<number> {
	if (!wantsHelp(args, HELP)) return serve(readEnvironment());
	process.stdout.write(`${HELP}\n`);
	return 0;
}

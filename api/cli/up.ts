// Runs the service; where no chain is configured, with a sandbox chain of its own.
import { join } from "node:path";
import { reportFailure } from "#api/cli/reportFailure.ts";
import { serve } from "#api/cli/serve.ts";
import { startWorld, type World } from "#api/cli/startWorld.ts";
import { worldName } from "#api/cli/worldName.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";

const DATA_DIR_DEFAULT = ".data";

process.exit(await up(readEnvironment()));

async function up(env: Environment): Promise<number> {
	if (env["CHAINS"]) return serve(env, async () => {});
	const dataDir = env["DATA_DIR"] || DATA_DIR_DEFAULT;
	process.stderr.write("no CHAINS configured: starting the sandbox chain …\n");
	let world: World;
	try {
		world = await startWorld(join(dataDir, "sandbox"));
	} catch (error) {
		return reportFailure(error);
	}
	const { chainId, httpUrl, wsUrl, firstBlock } = world;
	const sandboxed = {
		...env,
		SANDBOX: "true",
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({ [chainId]: [httpUrl, wsUrl] }),
		NFT_SCAN_FROM_BLOCK: String(firstBlock),
		USD_FEEDS_JSON: env["USD_FEEDS_JSON"] || JSON.stringify(world.usdFeeds),
		...providerOf(world, env),
		// A world that had to be made anew is another chain: its index must not join the old one's.
		DATA_DIR: join(dataDir, "sandbox", await worldName(world)),
		LOG_LEVEL: env["LOG_LEVEL"] || "warn",
	};
	return serve(sandboxed, () => world.stop());
}

/** The sandbox's own marketplace, unless one is configured. */
function providerOf(world: World, env: Environment): Environment {
	if (env["PROVIDER_BASE_URL"]) return {};
	return {
		PROVIDER_BASE_URL: world.providerUrl,
		PROVIDER_API_KEY: world.providerKey,
		PROVIDER_STREAM_URL: world.providerStreamUrl,
		PROVIDER_STREAM_ENABLED: "true",
	};
}

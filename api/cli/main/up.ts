// Runs the service; where no chain is configured, with sandbox chains of its own.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { wantsHelp } from "#api/cli/runCommand.ts";
import { reportFailure, serve } from "#api/cli/serve.ts";
import { checkConfig, startWorld, type World, worldLines, worldName } from "#api/cli/startWorld.ts";
import { endWithRunners } from "#api/launch/launch.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";

const DATA_DIR_DEFAULT = ".data";

const HELP = `bun run up

Runs Tapeline until Ctrl-C: on the chains in CHAINS or, without, on sandbox chains of its own that
need no key and no network. Settings are environment variables, such as
PORT=4100 DATA_DIR=/srv/tapeline bun run up; .env.example lists them.`;

// Without waiting for it at the top: a module that does so cannot be compiled ahead.
void up(process.argv.slice(2), readEnvironment())
	.catch((error) => reportFailure(error))
	.then((code) => process.exit(code));

async function up(args: readonly string[], env: Environment): Promise<number> {
	if (wantsHelp(args, HELP)) {
		process.stdout.write(`${HELP}\n`);
		return 0;
	}
	endWithRunners();
	if (env["CHAINS"]) return serve(env);
	await checkConfig(env);
	const dataDir = env["DATA_DIR"] || DATA_DIR_DEFAULT;
	const sandboxDir = join(dataDir, "sandbox");
	process.stderr.write(
		`no CHAINS configured: starting the sandbox chain${firstTime(sandboxDir)} …\n`,
	);
	let world: World;
	try {
		world = await startWorld(sandboxDir);
	} catch (error) {
		return reportFailure(error);
	}
	const { chainId, httpUrl, wsUrl, firstBlock, home } = world;
	const wallets = walletProviderOf(world, env);
	const social = socialOf(world, env);
	const stocks = stocksOf(world, env);
	// Another one at each start: nobody has the key of somebody else's sandbox.
	const adminKey = env["ADMIN_API_KEY"] ? undefined : `sandbox-${crypto.randomUUID()}`;
	const sandboxed = {
		...env,
		...(adminKey && { ADMIN_API_KEY: adminKey }),
		SANDBOX: "true",
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({
			[chainId]: [httpUrl, wsUrl],
			[home.chainId]: [home.httpUrl, home.wsUrl],
		}),
		NFT_SCAN_FROM_BLOCK: String(firstBlock),
		USD_FEEDS_JSON: env["USD_FEEDS_JSON"] || JSON.stringify(world.usdFeeds),
		NFT_REVEAL_WATCH: env["NFT_REVEAL_WATCH"] || revealsOf(world),
		METADATA_ALLOWED_ORIGINS: env["METADATA_ALLOWED_ORIGINS"] || world.studioUrl,
		...providerOf(world, env),
		...wallets,
		...modelOf(world, env),
		...social,
		...bridgeOf(world, env),
		...stocks,
		...economyOf(world, env, { hasOwnWallets: Object.keys(wallets).length > 0 }),
		// Nothing here is real, so nothing has to be held back.
		TRADING_DRY_RUN: env["TRADING_DRY_RUN"] || "false",
		// A world that had to be made anew is another chain: its index must not join the old one's.
		DATA_DIR: join(sandboxDir, await worldName(world)),
		LOG_LEVEL: env["LOG_LEVEL"] || "warn",
	};
	const has = {
		hasOwnWallets: Object.keys(wallets).length > 0,
		hasOwnStocks: Object.keys(stocks).length > 0,
		hasOwnSocial: Object.keys(social).length > 0,
		adminKey,
		hasTrades: builtinPlugins.some(({ name }) => name === "trading"),
	};
	const more = (url: string) => worldLines(world, { url, ...has });
	return serve(sandboxed, { stopAlso: () => world.stop(), more, onUp: world.sendWebhooksTo });
}

/** Returns the line for a first start: it writes days of history, and nothing else moves. */
function firstTime(sandboxDir: string): string {
	return existsSync(sandboxDir) ? "" : " (the first time this takes up to a minute)";
}

/** Returns the value of NFT_REVEAL_WATCH: the sandbox's collections that will be revealed. */
function revealsOf({ reveals }: World): string {
	return reveals.map((contract) => `anvil/${contract}`).join(",");
}

/** Returns the settings of the sandbox's own marketplace, unless one is configured. */
function providerOf(world: World, env: Environment): Environment {
	if (env["PROVIDER_BASE_URL"]) return {};
	return {
		PROVIDER_BASE_URL: world.providerUrl,
		PROVIDER_API_KEY: world.providerKey,
		PROVIDER_STREAM_URL: world.providerStreamUrl,
		PROVIDER_STREAM_ENABLED: "true",
	};
}

/** Returns the settings of the sandbox's own wallet provider, unless one is configured. */
function walletProviderOf(world: World, env: Environment): Environment {
	if (env["WALLET_PROVIDER_APP_ID"] || env["WALLET_PROVIDER_BASE_URL"]) return {};
	const { appId, appSecret, authorizationKey, verificationKey, webhookSecret } =
		world.walletProvider;
	return {
		WALLET_PROVIDER_BASE_URL: world.walletProviderUrl,
		WALLET_PROVIDER_APP_ID: appId,
		WALLET_PROVIDER_APP_SECRET: appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: verificationKey,
		WALLET_PROVIDER_WEBHOOK_SECRET: webhookSecret,
	};
}

/** Returns the settings of the sandbox's own language model, unless one is configured. */
function modelOf({ modelUrl }: World, env: Environment): Environment {
	if (env["AGENT_MODEL"] || env["OPENAI_BASE_URL"] || env["OPENAI_API_KEY"]) return {};
	return { OPENAI_BASE_URL: modelUrl, AGENT_MODEL: "sandbox" };
}

/** Returns the settings of the sandbox's own X, unless one is configured. */
function socialOf({ socialUrl, social }: World, env: Environment): Environment {
	if (env["SOCIAL_BASE_URL"] || env["SOCIAL_API_KEY"] || env["SOCIAL_USER_ACCESS_TOKEN"]) return {};
	return {
		SOCIAL_BASE_URL: socialUrl,
		SOCIAL_BOT_USERNAME: social.botUsername,
		SOCIAL_API_KEY: social.apiKey,
		SOCIAL_API_SECRET: social.apiSecret,
		SOCIAL_BEARER_TOKEN: social.bearerToken,
		SOCIAL_CLIENT_ID: social.clientId,
		SOCIAL_CLIENT_SECRET: social.clientSecret,
		SOCIAL_USER_ACCESS_TOKEN: social.userAccessToken,
		SOCIAL_USER_REFRESH_TOKEN: social.userRefreshToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN: social.oauth1AccessToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: social.oauth1AccessTokenSecret,
		SOCIAL_WEBHOOK_ID: social.webhookId,
		SOCIAL_WEBHOOK_SECRET: social.webhookSecret,
	};
}

/** Returns the settings of the sandbox's own bridge, unless one is configured: no real money. */
function bridgeOf(world: World, env: Environment): Environment {
	const { bridgeUrl, bridgeKey, bridgeDirect, stable } = world;
	if (env["BRIDGE_BASE_URL"] || env["BRIDGE_API_KEY"]) return {};
	return {
		BRIDGE_BASE_URL: bridgeUrl,
		BRIDGE_API_KEY: bridgeKey,
		BRIDGE_DIRECT_JSON: env["BRIDGE_DIRECT_JSON"] || JSON.stringify(bridgeDirect),
		// A node on this machine is none that a stranger may name: it is told here.
		BRIDGE_RPC_URLS_JSON:
			env["BRIDGE_RPC_URLS_JSON"] || JSON.stringify({ [stable.chainId]: [stable.httpUrl] }),
		ENABLE_BRIDGING: env["ENABLE_BRIDGING"] || "true",
		ENABLE_SOCIAL_BRIDGING: env["ENABLE_SOCIAL_BRIDGING"] || "true",
		BRIDGE_DRY_RUN: env["BRIDGE_DRY_RUN"] || "false",
	};
}

/**
 * Returns the settings of the sandbox's own token, unless one is configured. Its keeper is a wallet
 * of the sandbox's wallet provider: with another one nothing is bought back.
 */
function economyOf(
	{ economy }: World,
	env: Environment,
	{ hasOwnWallets }: { hasOwnWallets: boolean },
): Environment {
	if (env["TOKEN_ADDRESS"] || env["REVENUE_ROUTER_ADDRESS"] || env["BUYBACK_BURN_ADDRESS"])
		return {};
	const { token, router, burner, keeperWalletId, currencies } = economy;
	const buyback = {
		BUYBACK_WALLET_ID: keeperWalletId,
		BUYBACK_CURRENCIES: env["BUYBACK_CURRENCIES"] || currencies.join(),
		BUYBACK_ENABLED: env["BUYBACK_ENABLED"] || "true",
		// Pools are watched for so long before anything is bought through them.
		BUYBACK_TWAP_SECONDS: env["BUYBACK_TWAP_SECONDS"] || "60",
	};
	return {
		TOKEN_ADDRESS: token,
		REVENUE_ROUTER_ADDRESS: router,
		BUYBACK_BURN_ADDRESS: burner,
		...(hasOwnWallets && buyback),
	};
}

/**
 * Returns the settings of the sandbox's own stock tokens, unless the issuer's list is configured.
 */
function stocksOf({ stocks }: World, env: Environment): Environment {
	if (env["STOCK_ASSETS_BASE_URL"] || env["ROUTER_BASE_URL"]) return {};
	const { assetsUrl, routerUrl, routerKey, pools, v4Pools, feeds } = stocks;
	return {
		STOCK_ASSETS_BASE_URL: assetsUrl,
		ROUTER_BASE_URL: routerUrl,
		ROUTER_API_KEY: routerKey,
		TRADE_POOLS_JSON: JSON.stringify(pools),
		TRADE_V4_POOLS_JSON: JSON.stringify(v4Pools),
		STOCK_FEEDS_JSON: JSON.stringify(feeds),
		// Its market keeps hours of its own: its feeds say that it is closed.
		STOCK_MARKET_HOURS: env["STOCK_MARKET_HOURS"] || "always",
		STOCK_FEED_SILENT_SECONDS: env["STOCK_FEED_SILENT_SECONDS"] || "120",
		STOCK_ELIGIBILITY: env["STOCK_ELIGIBILITY"] || "open",
	};
}

// Refuses a start that could not end well, starts the sandbox's world, and says what to try in it.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { cliFault } from "#api/cli/runCommand.ts";
import { loadPlugins, pluginNames, sectionsOf } from "#api/service/startService.ts";
import { hexQuantity } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { refuseTakenPort } from "#core/http/listenHttp.ts";
import { orderPlugins } from "#core/plugin/createHost.ts";

type WorldPart =
	| "httpUrl"
	| "home"
	| "stable"
	| "walletProviderUrl"
	| "reveals"
	| "studioUrl"
	| "stocks"
	| "socialUrl"
	| "social";

/** Holds the address of the service, and which of its upstreams are the sandbox's. */
type Told = {
	url: string;
	hasOwnWallets: boolean;
	hasOwnStocks: boolean;
	hasOwnSocial: boolean;
	/** The key of operators that was made for this start; absent: the configuration names one. */
	adminKey?: string | undefined;
	/** The service trades stocks. */
	hasTrades: boolean;
};

type Named = Pick<World, "httpUrl" | "firstBlock">;

/** The sandbox is a process and not an import: the service only ever sees its URLs. */
const WORLD_MAIN = join(import.meta.dir, "../../test/sandbox/main.ts");
/** The key of the sandbox's own marketplace: calls without it are refused, as by the real one. */
const PROVIDER_KEY = "sandbox";
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;

const readySchema = z.object({
	ready: z.literal(true),
	chainId: z.int(),
	httpUrl: z.string(),
	wsUrl: z.string(),
	firstBlock: z.int(),
	home: z.object({
		chainId: z.int(),
		httpUrl: z.string(),
		wsUrl: z.string(),
		firstBlock: z.int(),
	}),
	usdFeeds: z.record(z.string(), z.unknown()),
	stocks: z.object({
		assetsUrl: z.string(),
		routerUrl: z.string(),
		routerKey: z.string(),
		pools: z.array(z.unknown()),
		v4Pools: z.array(z.unknown()),
		feeds: z.record(z.string(), z.string()),
	}),
	economy: z.object({
		url: z.string(),
		token: z.string(),
		router: z.string(),
		burner: z.string(),
		keeperWalletId: z.string(),
		currencies: z.array(z.string()),
		pools: z.array(z.unknown()),
	}),
	reveals: z.array(z.string()),
	studioUrl: z.string(),
	providerUrl: z.string(),
	providerStreamUrl: z.string(),
	walletProviderUrl: z.string(),
	walletProvider: z.object({
		appId: z.string(),
		appSecret: z.string(),
		authorizationKey: z.string(),
		verificationKey: z.string(),
		webhookSecret: z.string(),
	}),
	modelUrl: z.string(),
	socialUrl: z.string(),
	social: z.object({
		botUsername: z.string(),
		apiKey: z.string(),
		apiSecret: z.string(),
		bearerToken: z.string(),
		clientId: z.string(),
		clientSecret: z.string(),
		userAccessToken: z.string(),
		userRefreshToken: z.string(),
		oauth1AccessToken: z.string(),
		oauth1AccessTokenSecret: z.string(),
		webhookId: z.string(),
		webhookSecret: z.string(),
	}),
	stable: z.object({ chainId: z.int(), httpUrl: z.string() }),
	bridgeUrl: z.string(),
	bridgeKey: z.string(),
	bridgeDirect: z.array(z.unknown()),
});

export type World = z.output<typeof readySchema> & {
	providerKey: string;
	/** Sets where its providers send webhooks: the service's URL, known once it is up. */
	sendWebhooksTo(url: string): void;
	stop(): Promise<void>;
};

/** A bridge to the other chain. */
const BRIDGE = "bridge 0.5 eth from anvil to robinhood as usdg";
const PLAN = "rank 200 for at most 1 eth each with 3 eth in all";
/** Writes a trade without its `$`, which a shell would read. */
const TRADE = "buy TSLA with 50 USDG";

/**
 * Starts the sandbox world and waits until it answers. It runs in a session of its own, so Ctrl-C
 * reaches it only through us, after the service let go; and it ends when our pipe to it does, so
 * it cannot outlive us however we die.
 */
export async function startWorld(dataDir: string): Promise<World> {
	const args = ["--data-dir", dataDir, "--provider-key", PROVIDER_KEY];
	const child = spawn(process.execPath, [WORLD_MAIN, ...args], {
		stdio: ["pipe", "pipe", "inherit"],
		detached: true,
	});
	const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const stop = async () => {
		child.stdin.end();
		const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
		await ended;
		clearTimeout(timer);
	};
	try {
		const ready = await firstLine(child.stdout, ended);
		return {
			...readySchema.parse(JSON.parse(ready)),
			providerKey: PROVIDER_KEY,
			sendWebhooksTo(url) {
				const to = { webhooksTo: `${url}/v1/webhooks/wallet-provider` };
				const bridgeTo = { bridgeWebhooksTo: `${url}/v1/bridgeprovider/webhook` };
				const social = { socialTo: `${url}/v1/social/webhook` };
				child.stdin.write(`${JSON.stringify({ ...to, ...bridgeTo, ...social })}\n`);
			},
			stop,
		};
	} catch (cause) {
		await stop();
		throw cliFault.worldFailed({ cause });
	}
}

/**
 * Returns the banner's lines about a sandbox beside the API: its ports are new at each start, and
 * needed for trading in it.
 */
export function worldLines(
	{
		httpUrl,
		home,
		stable,
		walletProviderUrl,
		reveals,
		studioUrl,
		stocks,
		...x
	}: Pick<World, WorldPart>,
	{ url, hasOwnWallets, hasOwnStocks, hasOwnSocial, hasTrades, adminKey }: Told,
): readonly string[] {
	const rpc = `RPC      ${httpUrl}  (anvil's first ten accounts have ether)`;
	const own = `home     ${home.httpUrl}  (chain ${home.chainId}, where wallets send; the same ten)`;
	const soon = reveals.map((contract) => {
		return `reveals  ${contract}  (within three minutes: /v1/nft-market/reveals)`;
	});
	const more = `another  curl -s ${studioUrl}/_sandbox/reveals -d '{"kind":"silent","afterMs":120000}'`;
	if (soon.length > 0) soon.push(more);
	const listed = `stocks   ${stocks.assetsUrl}/rhj/assets  (trade at ${stocks.routerUrl}, on home)`;
	const traded = hasOwnStocks ? [listed] : [];
	const said = hasOwnSocial ? mentioned(x) : [];
	const at = { url, walletProviderUrl };
	const asOperator = `curl -s ${url}/v1/admin/trading/intents -H "x-api-key: ${adminKey}"`;
	const admin = adminKey === undefined ? [] : [`admin    ${asOperator}`];
	if (!hasOwnWallets) return [rpc, own, ...traded, ...said, ...admin, ...soon];
	return [
		rpc,
		own,
		...traded,
		`wallets  ${walletProviderUrl}  (ada, ben and cleo have ether on both, USDG and stocks)`,
		`token    curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`,
		...said,
		...admin,
		...soon,
		`stable   ${stable.httpUrl}  (chain ${stable.chainId}: bridges of the mode degen_2_stable end there)`,
		...asked({ what: "bridge", command: BRIDGE, ...at }),
		...(hasOwnStocks && hasTrades ? asked({ what: "trade", command: TRADE, ...at }) : []),
		...reveals
			.slice(0, 1)
			.flatMap((contract) => asked({ what: "plan", command: `snipe ${contract} ${PLAN}`, ...at })),
	];
}

/** Names a sandbox by the first block of each of its chains: another chain has another name. */
export async function worldName(world: Named & { home: Named }): Promise<string> {
	const hashes = await Promise.all([world, world.home].map(firstHash));
	return `world-${hashes.join("-")}`;
}

function firstLine(stream: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
	return new Promise((resolve, reject) => {
		const failed = (why: string) => reject(cliFault.worldFailed({ detail: why }));
		const timer = setTimeout(() => failed("it took too long"), READY_TIMEOUT_MS);
		createInterface({ input: stream }).once("line", (line) => {
			clearTimeout(timer);
			resolve(line);
		});
		ended.then(() => {
			clearTimeout(timer);
			failed("it ended before it was ready");
		});
	});
}

/** Returns where X is, and what to copy so that ada names the bot there. */
function mentioned({ socialUrl, social }: Pick<World, "socialUrl" | "social">): string[] {
	const text = `{"by":"ada","text":"@${social.botUsername} floor kiln-folk"}`;
	return [
		`X        ${socialUrl}  (the conversation, as a page)`,
		`mention  curl -s ${socialUrl}/_sandbox/posts -d '${text}'`,
	];
}

/**
 * Returns what to copy so that ada trades, or has a plan armed before the collection is revealed.
 */
function asked({
	what,
	command,
	url,
	walletProviderUrl,
}: {
	what: "trade" | "plan" | "bridge";
	command: string;
	url: string;
	walletProviderUrl: string;
}): string[] {
	const told = `curl -s ${walletProviderUrl}/_sandbox/token -d '{"userId":"ada"}'`;
	const enrolled = `curl -s -X POST ${url}/v1/trading/enrollment -H "authorization: Bearer $T"`;
	return [
		`${what.padEnd(8)} T=$(${told} | jq -r .token)`,
		`         T=$(${enrolled} | jq -r .token)`,
		`         TAPELINE_TOKEN=$T bun run svc ask --url ${url} "${command}"`,
	];
}

async function firstHash({ httpUrl, firstBlock }: Named): Promise<string> {
	const rpc = httpRpc({
		url: httpUrl,
		timeoutMs: 10_000,
		batchMax: 1,
		concurrencyMax: 1,
		bodyBytesMax: 1_000_000,
	});
	const params = [hexQuantity(firstBlock), false];
	const header = parseHead(await rpc.call({ method: "eth_getBlockByNumber", params }));
	return header?.hash.slice(2, 12) ?? "unnamed";
}

/**
 * Refuses a configuration that a start would refuse, and a port that is in use, before anything is
 * started for it: a sandbox takes up to a minute to come up.
 */
export async function checkConfig(env: Environment): Promise<void> {
	const { loaded, disabled } = pluginNames(env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	const sections = sectionsOf(plugins);
	const { HOST: host, PORT: port } = parseConfig(sections.all, env).of(sections.core);
	await refuseTakenPort({ host, port });
}

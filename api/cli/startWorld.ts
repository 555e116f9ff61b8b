import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { cliFault } from "#api/cli/faults.ts";

/** The sandbox is a process and not an import: the service only ever sees its URLs. */
const WORLD_MAIN = join(import.meta.dir, "../../test/sandbox/main.ts");
/** Of the sandbox's own marketplace: whoever calls without it is refused, as by the real one. */
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
	/** Tells its providers whom to send webhooks to: the service's URL, known once it is up. */
	sendWebhooksTo(url: string): void;
	stop(): Promise<void>;
};

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

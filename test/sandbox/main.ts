// The sandbox world as a process of its own:
//   bun test/sandbox/main.ts --data-dir DIR [--seed N] [--pace-ms 2000] [--history-blocks 420]
// [--port 0] [--provider-port 0] [--provider-key KEY] [--wallet-provider-port 0] [--model-port 0]
// One JSON line on stdout when it is ready; it ends when its stdin does, or on SIGTERM or SIGINT.
// {"webhooksTo":"http://…"} in a line of its stdin says where the wallet provider sends webhooks.
import { createInterface } from "node:readline";
import { z } from "zod";
import { systemClock } from "#core/clock/systemClock.ts";
import { catalogue } from "./catalogue.ts";
import { createActors } from "./createActors.ts";
import { createSaver } from "./createSaver.ts";
import { type CustodyEmulator, startCustodyEmulator } from "./custody/startCustodyEmulator.ts";
import { walletProviderOf } from "./custody/walletProviderOf.ts";
import { usdFeedsOf } from "./feeds/usdFeedsOf.ts";
import { lockDataDir } from "./lockDataDir.ts";
import { startModelEmulator } from "./model/startModelEmulator.ts";
import { openChain } from "./openChain.ts";
import { parseOptions } from "./parseOptions.ts";
import { matchWorld } from "./provider/market/matchWorld.ts";
import { startProviderEmulator } from "./provider/startProviderEmulator.ts";
import { readHead } from "./readHead.ts";
import { runLive } from "./runLive.ts";

const ACTORS = 40;
const Order = z.object({ webhooksTo: z.url().nullable() });

const say = (line: string): void => void process.stderr.write(`sandbox: ${line}\n`);
const stopping = new AbortController();
for (const event of ["SIGTERM", "SIGINT"] as const) process.on(event, () => stopping.abort());
// Our parent may die without a word: then its end of this pipe closes.
process.stdin.on("end", () => stopping.abort());
process.stdin.on("close", () => stopping.abort());
const orders = createInterface({ input: process.stdin });

try {
	await run();
} catch (cause) {
	say(cause instanceof Error ? cause.message : String(cause));
	process.exit(1);
}
process.exit(0);

async function run(): Promise<void> {
	const options = parseOptions(process.argv.slice(2), process.env);
	const { dataDir, paceMs } = options;
	const lock = lockDataDir(dataDir);
	const actors = createActors(Math.max(ACTORS, catalogue.length + 1));
	const nowS = (): number => Math.floor(systemClock.nowMs() / 1_000);
	const { signal } = stopping;
	const ended = new Promise<undefined>((resolve) =>
		signal.addEventListener("abort", () => resolve(undefined)),
	);
	const chain = await Promise.race([openChain({ options, actors, nowS, say }), ended]);
	if (!chain) return; // Stopped before there was anything to save; anvil goes with our pipe to it.
	chain.anvil.exited.then((code) => {
		if (signal.aborted) return;
		say(`anvil ended with code ${code}`);
		process.exit(1);
	});
	const saver = createSaver(chain, { dataDir, nowMs: systemClock.nowMs });
	const { port } = chain.anvil;
	const urls = { httpUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` };
	const provider = startProviderEmulator({
		rpcUrl: urls.httpUrl,
		port: options.providerPort,
		seed: chain.world.seed,
		apiKey: options.providerKey || undefined,
		actors,
		say,
	});
	const providerUrls = { providerUrl: provider.url, providerStreamUrl: provider.streamUrl };
	const custody = await startCustodyEmulator({
		rpcUrl: urls.httpUrl,
		port: options.walletProviderPort,
		dataDir,
	});
	orders.on("line", (line) => takeOrder(custody, line));
	const model = startModelEmulator({ port: options.modelPort });
	const { firstBlock } = chain.world;
	const usdFeeds = usdFeedsOf(chain.world);
	const services = { ...providerUrls, ...walletProviderOf(custody), modelUrl: model.url };
	const hidden = chain.world.collections.filter(({ revealed }) => !revealed);
	const reveals = hidden.map(({ address }) => address.toLowerCase());
	const ready = {
		ready: true,
		chainId: 31_337,
		...urls,
		firstBlock,
		usdFeeds,
		reveals,
		...services,
	};
	if (paceMs === 0) await chain.anvil.rpc.call("evm_setAutomine", [true]);
	process.stdout.write(`${JSON.stringify(ready)}\n`);
	await saver.save();
	/** What people did with what the actors had; what the actors did, the planner knows. */
	const learn = async (): Promise<void> => {
		try {
			await provider.sync();
			const head = await readHead(chain.anvil.rpc);
			const market = provider.market();
			if (market.head.hash === head.hash) matchWorld(chain.world, market, actors);
		} catch (cause) {
			say(`the provider cannot read the chain: ${cause instanceof Error ? cause.message : cause}`);
		}
	};
	if (paceMs === 0) await ended;
	const live = {
		actors,
		paceMs,
		signal,
		nowMs: systemClock.nowMs,
		say,
		async afterBlock() {
			await learn();
			await saver.saveIfDue();
		},
	};
	await runLive(chain, live);
	await learn();
	await provider.stop();
	await custody.stop();
	await model.stop();
	await saver.save();
	await chain.anvil.stop();
	lock.release();
}

function takeOrder(custody: CustodyEmulator, line: string): void {
	try {
		custody.sendWebhooksTo(Order.parse(JSON.parse(line)).webhooksTo);
	} catch {
		say("a line of its input is no order");
	}
}

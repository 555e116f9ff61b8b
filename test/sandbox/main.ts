// The sandbox world as a process of its own:
//   bun test/sandbox/main.ts --data-dir DIR [--seed N] [--pace-ms 2000] [--history-blocks 420]
// [--port 0] [--provider-port 0] [--provider-key KEY] [--wallet-provider-port 0] [--model-port 0]
// [--issuer-port 0] [--router-port 0] [--bridge-port 0] [--social-port 0] [--studio-port 0]
// One JSON line on stdout when it is ready; it ends when its stdin does, or on SIGTERM or SIGINT.
// A line of its stdin says where providers send webhooks: {"webhooksTo":"http://…"} the wallet
// provider, {"bridgeWebhooksTo":"http://…"} the bridge provider, {"socialTo":"http://…"} X.

import { createInterface } from "node:readline";
import type { Address } from "viem";
import { z } from "zod";
import { systemClock } from "#core/clock.ts";
import { bridgeOf, openDirect, openStable } from "./bridge/bridgeOf.ts";
import type { BridgeEmulator } from "./bridge/startBridgeEmulator.ts";
import { catalogue } from "./catalogue.ts";
import { readHead } from "./createRpc.ts";
import type { Person } from "./custody/people.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
	walletProviderOf,
} from "./custody/startCustodyEmulator.ts";
import { economySettings } from "./economy/describeEconomy.ts";
import { startEconomyDesk } from "./economy/startEconomyDesk.ts";
import { usdFeedsOf } from "./feeds.ts";
import { openChain } from "./openChain.ts";
import { openHome } from "./openHome.ts";
import { parseOptions } from "./parseOptions.ts";
import { matchWorld } from "./provider/market/Market.ts";
import { startProviderEmulator } from "./provider/startProviderEmulator.ts";
import { startRevealStudio } from "./reveals/startRevealStudio.ts";
import { runLive } from "./runTraffic.ts";
import { chainFile, createSaver, lockDataDir } from "./savedState.ts";
import { type SocialEmulator, startSocialEmulator } from "./social/startSocialEmulator.ts";
import type { Anvil } from "./startAnvil.ts";
import { startModelEmulator } from "./startModelEmulator.ts";
import { handOut, homeFeeds, type StockWorld, stockSettings } from "./stocks/openStockWorld.ts";
import { startRouterEmulator } from "./stocks/router/startRouterEmulator.ts";
import { startIssuerEmulator } from "./stocks/startIssuerEmulator.ts";
import { createActors } from "./World.ts";

const ACTORS = 40;
/** The key of the hosted router; calls without it are refused. */
const ROUTER_KEY = "sandbox";
/** The user who may not trade stocks. */
const REFUSED = "gil";
const Order = z.object({
	webhooksTo: z.url().nullable().optional(),
	bridgeWebhooksTo: z.url().nullable().optional(),
	socialTo: z.url().nullable().optional(),
});

const say = (line: string): void => void process.stderr.write(`sandbox: ${line}\n`);
const stopping = new AbortController();
for (const event of ["SIGTERM", "SIGINT"] as const) process.on(event, () => stopping.abort());
// If our parent dies, its end of this pipe closes.
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
	const opening = Promise.all([
		openChain({ options, actors, nowS, say }),
		openHome({ dataDir, seed: options.seed, nowMs: systemClock.nowMs, say }),
		openStable({ dataDir, nowMs: systemClock.nowMs, say }),
	]);
	const opened = await Promise.race([opening, ended]);
	if (!opened) return; // Stopped before there was anything to save; anvil goes with our pipe to it.
	const [chain, home, stable] = opened;
	for (const { exited } of [chain.anvil, home.anvil, stable.anvil]) {
		exited.then((code) => {
			if (signal.aborted) return;
			say(`anvil ended with code ${code}`);
			process.exit(1);
		});
	}
	const write = () =>
		chainFile.write(chain.anvil.rpc, { dataDir, name: "chain", world: chain.world });
	const saver = createSaver(write, systemClock.nowMs);
	const urls = urlsOf(chain.anvil);
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
		moreRpcUrls: [home.anvil.rpc.url],
		port: options.walletProviderPort,
		dataDir,
		welcome: (people) => handOut(home.stocks, walletsOf(people)),
	});
	if (home.stocks.isNew) await furnish(home.stocks, custody);
	const assets = startIssuerEmulator({
		rpcUrl: home.anvil.rpc.url,
		port: options.issuerPort,
		world: home.stocks,
	});
	const router = startRouterEmulator({
		rpcUrl: home.anvil.rpc.url,
		port: options.routerPort,
		apiKey: ROUTER_KEY,
	});
	const economy = startEconomyDesk({ economy: home.economy, rpcUrl: home.anvil.rpc.url });
	const social = startSocialEmulator({
		nowMs: systemClock.nowMs,
		port: options.socialPort,
		people: custody
			.people()
			.flatMap(({ subject, username }) => (subject && username ? [{ id: subject, username }] : [])),
		keepsRates: true,
		say,
	});
	const bridge = await bridgeOf({
		...{ market: chain.anvil.rpc, home: home.anvil.rpc, coin: chain.world.coin },
		stable: stable.anvil.rpc,
		port: options.bridgePort,
	});
	const direct = await openDirect(bridge);
	orders.on("line", (line) => takeOrder(line, { custody, bridge, social }));
	const model = startModelEmulator({ port: options.modelPort });
	const studio = startRevealStudio({ rpcUrl: urls.httpUrl, port: options.studioPort });
	const { firstBlock } = chain.world;
	const usdFeeds = { ...usdFeedsOf(chain.world), ...homeFeeds(home.stocks) };
	const traded = { assetsUrl: assets.url, routerUrl: router.url, routerKey: ROUTER_KEY };
	const services = {
		...{ ...providerUrls, ...walletProviderOf(custody), modelUrl: model.url },
		studioUrl: studio.url,
		...{ bridgeUrl: bridge.url, bridgeKey: bridge.apiKey, bridgeDirect: direct.tokens },
		stable: { chainId: 988, httpUrl: urlsOf(stable.anvil).httpUrl },
	};
	const x = { socialUrl: social.url, social: social.access };
	const hidden = chain.world.collections.filter(({ revealed }) => !revealed);
	const reveals = hidden.map(({ address }) => address.toLowerCase());
	const ready = {
		ready: true,
		chainId: 31_337,
		...urls,
		firstBlock,
		home: { chainId: 4663, ...urlsOf(home.anvil), firstBlock: home.firstBlock },
		usdFeeds,
		stocks: { ...traded, ...stockSettings(home.stocks) },
		economy: { url: economy.url, ...economySettings() },
		reveals,
		...services,
		...x,
	};
	if (paceMs === 0) await chain.anvil.rpc.call("evm_setAutomine", [true]);
	process.stdout.write(`${JSON.stringify(ready)}\n`);
	await Promise.all([saver.save(), home.save(), stable.save()]);
	/** Updates the planner's state with people's actions; the actors' own it knows already. */
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
	await Promise.all([runLive(chain, live), home.run(signal, economy.isSearching)]);
	await learn();
	await provider.stop();
	await Promise.all([custody.stop(), economy.stop(), studio.stop()]);
	await direct.stop();
	await Promise.all([bridge.stop(), model.stop(), assets.stop(), router.stop(), social.stop()]);
	await Promise.all([saver.save(), home.save(), stable.save()]);
	await Promise.all([chain.anvil.stop(), home.anvil.stop(), stable.anvil.stop()]);
	lock.release();
}

/**
 * Gives all users tokens. The issuer blocks one user: no stock token can reach or leave that
 * wallet.
 */
async function furnish(world: StockWorld, custody: CustodyEmulator): Promise<void> {
	await handOut(world, walletsOf(custody.people()));
	const [refused] = walletsOf([custody.person(REFUSED)]);
	if (!refused) return;
	for (const { address } of world.stocks) await world.setBlocked(address, refused, true);
}

function walletsOf(people: readonly Person[]): Address[] {
	return people.flatMap(({ wallet, external }) => [wallet?.address ?? [], external ?? []].flat());
}

function urlsOf({ port }: Anvil): { httpUrl: string; wsUrl: string } {
	return { httpUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` };
}

type Postmen = { custody: CustodyEmulator; bridge: BridgeEmulator; social: SocialEmulator };

function takeOrder(line: string, { custody, bridge, social }: Postmen): void {
	try {
		const { webhooksTo, bridgeWebhooksTo, socialTo } = Order.parse(JSON.parse(line));
		if (webhooksTo !== undefined) custody.sendWebhooksTo(webhooksTo);
		if (bridgeWebhooksTo !== undefined) bridge.sendWebhooksTo(bridgeWebhooksTo);
		if (socialTo !== undefined) social.sendWebhooksTo(socialTo);
	} catch {
		say("a line of its input is no order");
	}
}

// Opens the home chain: continues it, or starts it.

import { renameSync, rmSync } from "node:fs";
import { sleep } from "#core/time.ts";
import { readHead } from "./createRpc.ts";
import { keeperWallet } from "./custody/people.ts";
import { createRevenue, tapeUsdAt } from "./economy/describeEconomy.ts";
import { type Economy, openEconomy } from "./economy/openEconomy.ts";
import { chainFile, createSaver } from "./savedState.ts";
import { type Anvil, startAnvil } from "./startAnvil.ts";
import { openStockWorld, type StockWorld } from "./stocks/openStockWorld.ts";
import { createStockMarket, stockPrices } from "./stocks/stockMarket.ts";

export type HomeOptions = {
	dataDir: string;
	/** The seed of the stocks' prices. */
	seed: number;
	nowMs(): number;
	say(line: string): void;
};

/** The sandbox's own chain 4663: wallets are linked, money moves and stocks trade there. */
export type Home = {
	anvil: Anvil;
	/** The block whose hash identifies the chain: another hash means that it was started again. */
	firstBlock: number;
	/** Stocks, their pools and feeds, from the chain's start. */
	stocks: StockWorld;
	/** The token, its pools and contracts, also from the chain's start. */
	economy: Economy;
	/**
	 * Mines a block at each beat until the signal, unless another part mines. Sent transactions are
	 * mined at once all the same.
	 */
	run(signal: AbortSignal, isMinedByOther?: () => boolean): Promise<void>;
	save(): Promise<void>;
};

const HOME_ID = 4663;
const ACCOUNTS_OF_PEOPLE = 10;
const FIRST_BLOCK = 1;
/**
 * The real chain has ten blocks a second; storing those of a whole night here would be too much.
 */
const BLOCK_EVERY_MS = 1_000;
const FIRST_WEI = 2n * 10n ** 18n;
const FIRST_UNITS = 2_000_000_000n;
const FULL_PACE_MS = 3_600_000;
const SLOW_FACTOR = 10;

/** Opens the home chain of the data directory: continues it, or starts it. */
export async function openHome(options: HomeOptions): Promise<Home> {
	const { dataDir, seed, nowMs, say } = options;
	const place = { dataDir, name: "home" };
	const anvil = (await continueHome(options, place)) ?? (await beginHome(options));
	await anvil.rpc.call("evm_setAutomine", [true]);
	const prices = stockPrices(seed, Math.floor(nowMs() / 1_000));
	const stocks = await openStockWorld(anvil.rpc.url, { prices });
	const market = createStockMarket({ world: stocks, seed, nowMs });
	await market.tick();
	await stocks.settlePrices();
	const ethUsdAt = (timeS: number) => stockPrices(seed, timeS)["ETH"] ?? 0;
	const ethUsd = prices["ETH"] ?? 0;
	const economy = await openEconomy(anvil.rpc.url, { keeper: keeperWallet().address, ethUsd });
	const nowS = Math.floor(nowMs() / 1_000);
	await economy.settlePrice({ tape: tapeUsdAt(nowS), eth: ethUsdAt(nowS) });
	const revenue = createRevenue({ economy, ethUsdAt, nowMs });
	if (economy.isNew) await payFirst(economy);
	await revenue.tick();
	const saver = createSaver(() => chainFile.write(anvil.rpc, { ...place, world: null }), nowMs);
	return {
		anvil,
		firstBlock: FIRST_BLOCK,
		stocks,
		economy,
		save: saver.save,
		async run(signal, isMinedByOther = () => false) {
			const startMs = nowMs();
			while (!signal.aborted) {
				const slow = nowMs() - startMs > FULL_PACE_MS ? SLOW_FACTOR : 1;
				await sleep(BLOCK_EVERY_MS * slow, signal);
				if (signal.aborted) return;
				try {
					if (!isMinedByOther()) await anvil.rpc.call("evm_mine", []);
					await market.tick();
					await revenue.tick();
					await saver.saveIfDue();
				} catch (cause) {
					if (!signal.aborted) say(`the home chain stands still: ${wordsOf(cause)}`);
				}
			}
		},
	};
}

/** Pays the first revenue, so that there is something to buy back with. */
async function payFirst(economy: Economy): Promise<void> {
	await economy.payCoins("marketplace", FIRST_WEI);
	await economy.payDollars("trading", FIRST_UNITS);
}

/** Continues the saved chain; returns null where there is none that can be used. */
async function continueHome(
	{ say }: HomeOptions,
	place: { dataDir: string; name: string },
): Promise<Anvil | null> {
	const found = chainFile.read(place);
	if (found.kind === "none") return null;
	let reason = found.kind === "broken" ? found.reason : "";
	if (found.kind === "found") {
		let anvil: Anvil | null = null;
		try {
			anvil = await start({ stateFile: found.stateFile });
			const { hash } = await readHead(anvil.rpc);
			if (hash === found.headHash) return anvil;
			reason = `its head came back as ${hash}`;
		} catch (cause) {
			reason = wordsOf(cause);
		} finally {
			rmSync(found.stateFile, { force: true });
		}
		await anvil?.stop();
	}
	const file = chainFile.pathOf(place);
	say(`the saved home chain cannot be used (${reason}); it is kept as ${file}.broken`);
	renameSync(file, `${file}.broken`);
	return null;
}

async function beginHome({ nowMs }: HomeOptions): Promise<Anvil> {
	const anvil = await start({ genesisTimeS: Math.floor(nowMs() / 1_000) });
	await anvil.rpc.call("evm_mine", []);
	return anvil;
}

function start(from: { stateFile: string } | { genesisTimeS: number }): Promise<Anvil> {
	return startAnvil({ accounts: ACCOUNTS_OF_PEOPLE, chainId: HOME_ID, ...from });
}

function wordsOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}

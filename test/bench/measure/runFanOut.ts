import { join } from "node:path";
import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { cpuSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { openScript } from "#test/bench/measure/openScript.ts";
import { median } from "#test/bench/report/statistics.ts";

export type FanOutRate = {
	/** Frames that reached a client, of all clients, a second. */
	deliveredPerSecond: number;
	/** Of the publishing process, for one frame to all clients. */
	cpuMillis: number;
};

/** One shape of load: so many frames in each transaction. */
export type FanOut = {
	frames: number;
	service: FanOutRate;
	bare: FanOutRate;
	/** Delivered by the service for each one by bare Bun: of each turn, the median of all. */
	ratio: number;
};

export type FanOutOptions = { scope: Scope; runtimeArgs: readonly string[] };

export const FAN_OUT_CLIENTS = 1_000;
/** A single event, and a block of sales: transactions of each, with frames in each. */
const SHAPES = [
	{ frames: 1, transactions: 400 },
	{ frames: 20, transactions: 100 },
];
const TURNS = 3;
const REFERENCE = join(import.meta.dir, "../reference");

/**
 * Measures frames through the whole outbox path (transaction, bus, tailer, publish) to a thousand
 * clients of one collection, against bare Bun which publishes the same bytes to the same crowd.
 */
export async function runFanOut({ scope, runtimeArgs }: FanOutOptions): Promise<FanOut[]> {
	const data = await openDataDir(scope);
	const env = {
		PATH: process.env.PATH,
		HOME: process.env.HOME,
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: ["http://127.0.0.1:1"] }),
		DATA_DIR: data.path,
		PORT: "0",
		LOG_LEVEL: "silent",
	};
	const sides = {
		service: await openSide(scope, [...runtimeArgs, join(REFERENCE, "publishingService.ts")], env),
		bare: await openSide(scope, [join(REFERENCE, "barePublishing.ts")]),
	};
	const results: FanOut[] = [];
	for (const shape of SHAPES) {
		const rates = { service: [] as FanOutRate[], bare: [] as FanOutRate[] };
		// The first turn warms up; then in turn, so that a slow moment slows both.
		for (let turn = 0; turn <= TURNS; turn++) {
			for (const side of ["bare", "service"] as const) {
				const rate = await sides[side].publish(shape);
				if (turn > 0) rates[side].push(rate);
			}
		}
		results.push({
			frames: shape.frames,
			service: middle(rates.service),
			bare: middle(rates.bare),
			ratio: median(
				rates.service.map(({ deliveredPerSecond }, turn) => {
					return deliveredPerSecond / (rates.bare[turn]?.deliveredPerSecond ?? Number.NaN);
				}),
			),
		});
	}
	await sides.bare.stop();
	await sides.service.stop();
	await data.remove();
	return results;
}

/** Opens a publishing process and its crowd. */
async function openSide(scope: Scope, args: readonly string[], env = process.env) {
	const publisher = openScript(scope, args, env);
	const { url } = z.object({ url: z.string() }).parse(await publisher.line());
	const crowdArgs = [join(REFERENCE, "streamCrowd.ts"), url, String(FAN_OUT_CLIENTS)];
	const crowd = openScript(scope, crowdArgs, process.env);
	await crowd.line();
	return {
		async publish(shape: { frames: number; transactions: number }): Promise<FanOutRate> {
			const frames = shape.frames * shape.transactions;
			crowd.order({ frames });
			await crowd.line();
			const cpuBefore = cpuSecondsOf(publisher.pid);
			publisher.order(shape);
			const { beganAtMs } = z.object({ beganAtMs: z.number() }).parse(await publisher.line());
			const { doneAtMs } = z.object({ doneAtMs: z.number() }).parse(await crowd.line());
			await publisher.line();
			const seconds = (doneAtMs - beganAtMs) / 1_000;
			const cpuSeconds = cpuSecondsOf(publisher.pid) - cpuBefore;
			return {
				deliveredPerSecond: (frames * FAN_OUT_CLIENTS) / seconds,
				cpuMillis: (cpuSeconds * 1_000) / frames,
			};
		},
		async stop() {
			await crowd.stop();
			await publisher.stop();
		},
	};
}

function middle(rates: readonly FanOutRate[]): FanOutRate {
	const sorted = [...rates].sort((a, b) => a.deliveredPerSecond - b.deliveredPerSecond);
	const rate = sorted[Math.floor(sorted.length / 2)];
	if (!rate) throw new Error("nothing was measured");
	return rate;
}

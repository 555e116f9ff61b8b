// Measures frames and pages for a thousand clients, beside bare Bun.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { cpuSecondsOf } from "#test/bench/measure/processCost.ts";
import {
	openDataDir,
	openScript,
	type Scope,
	type ServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";
import { median } from "#test/bench/statistics.ts";

export type Rate = {
	requestsPerSecond: number;
	/** The serving process's time for one request: independent of the load generator. */
	cpuMicros: number;
};

export type Crowds = {
	service: Rate;
	bare: Rate;
	/** Requests by the service for each one by bare Bun: of each turn, the median of all. */
	ratio: number;
	/** Bytes of the body that both answer, as it is sent. */
	bytes: number;
};

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

const CONNECTIONS = 64;
const WARM_SECONDS = 2;
const COUNT_SECONDS = 5;
/** Headers that Bun writes by itself. */
const OWN_HEADERS = new Set(["content-length", "date", "connection"]);

const loadSchema = z.object({
	answers: z.number().min(1),
	bytes: z.number(),
	refused: z.literal(0),
	seconds: z.number(),
});

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
			service: middleFanOut(rates.service),
			bare: middleFanOut(rates.bare),
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

/**
 * Measures a crowd that asks the service for one page, against the same crowd at bare Bun with the
 * same bytes and headers. In turn, so that a slowing machine slows both.
 */
export async function compareCrowds(options: {
	scope: Scope;
	service: Pick<ServiceProcess, "url" | "pid" | "failed">;
	path: string;
	/** The coding that the crowd accepts; empty for uncompressed pages. */
	acceptEncoding: "" | "gzip" | "br" | "zstd";
	turns: number;
}): Promise<Crowds> {
	const { scope, service, path, acceptEncoding, turns } = options;
	const answer = await readAnswer(`${service.url}${path}`, acceptEncoding);
	const bare = await startBare(scope, answer);
	const given = { scope, acceptEncoding };
	const rates = { service: [] as Rate[], bare: [] as Rate[] };
	for (let turn = 0; turn < turns; turn++) {
		rates.bare.push(await load({ ...given, url: `${bare.url}${path}`, pid: bare.pid }));
		const asked = load({ ...given, url: `${service.url}${path}`, pid: service.pid });
		rates.service.push(await Promise.race([asked, service.failed]));
	}
	await bare.stop();
	const ratio = median(
		rates.service.map(({ requestsPerSecond }, turn) => {
			return requestsPerSecond / (rates.bare[turn]?.requestsPerSecond ?? Number.NaN);
		}),
	);
	const bytes = answer.body.byteLength;
	return { service: middleCrowd(rates.service), bare: middleCrowd(rates.bare), ratio, bytes };
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

function middleFanOut(rates: readonly FanOutRate[]): FanOutRate {
	const sorted = [...rates].sort((a, b) => a.deliveredPerSecond - b.deliveredPerSecond);
	const rate = sorted[Math.floor(sorted.length / 2)];
	if (!rate) throw new Error("nothing was measured");
	return rate;
}

async function readAnswer(url: string, acceptEncoding: string) {
	const response = await fetch(url, {
		headers: { "accept-encoding": acceptEncoding || "identity" },
		decompress: false,
	});
	const body = Buffer.from(await response.bytes());
	if (response.status !== 200) throw new Error(`the page answers ${response.status}: ${body}`);
	const coding = response.headers.get("content-encoding") ?? "";
	if (coding !== acceptEncoding) throw new Error(`the page is encoded as "${coding}"`);
	const headers = Object.fromEntries(
		[...response.headers].filter(([name]) => !OWN_HEADERS.has(name)),
	);
	return { headers, body };
}

async function startBare(scope: Scope, { headers, body }: Awaited<ReturnType<typeof readAnswer>>) {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-bench-"));
	const file = join(folder, "answer.json");
	// Text is served as text: the ratio has always been against what bare Bun takes for it.
	const isText = !("content-encoding" in headers);
	const sent = isText ? { text: body.toString() } : { base64: body.toString("base64") };
	writeFileSync(file, JSON.stringify({ headers, ...sent }));
	const script = join(import.meta.dir, "../reference/bareAnswer.ts");
	const child = Bun.spawn([process.execPath, script, file], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
		rmSync(folder, { recursive: true, force: true });
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const first = await new Promise<string>((resolve) => lines.once("line", resolve));
	const { url } = z.object({ url: z.string() }).parse(JSON.parse(first));
	return { url, pid: child.pid, stop };
}

async function load(place: {
	scope: Scope;
	url: string;
	pid: number;
	acceptEncoding: string;
}): Promise<Rate> {
	const script = join(import.meta.dir, "../reference/requestLoad.ts");
	const args = [place.url, CONNECTIONS, WARM_SECONDS, COUNT_SECONDS, place.acceptEncoding];
	const child = Bun.spawn([process.execPath, script, ...args.map(String)], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = place.scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	await Bun.sleep(WARM_SECONDS * 1_000);
	const before = { cpu: cpuSecondsOf(place.pid), atMs: performance.now() };
	await Bun.sleep((COUNT_SECONDS - 1) * 1_000);
	const cpuShare =
		(cpuSecondsOf(place.pid) - before.cpu) / ((performance.now() - before.atMs) / 1_000);
	const counted = loadSchema.parse(JSON.parse(await new Response(child.stdout).text()));
	await stop();
	const requestsPerSecond = counted.answers / counted.seconds;
	return { requestsPerSecond, cpuMicros: (cpuShare / requestsPerSecond) * 1e6 };
}

function middleCrowd(rates: readonly Rate[]): Rate {
	const sorted = [...rates].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
	const rate = sorted[Math.floor(sorted.length / 2)];
	if (!rate) throw new Error("nothing was measured");
	return rate;
}

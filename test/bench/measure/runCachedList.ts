import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { cpuSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import {
	openYoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { median } from "#test/bench/report/statistics.ts";

export type Rate = {
	requestsPerSecond: number;
	/** Of the serving process, for one request: what the load generator cannot hide. */
	cpuMicros: number;
};

export type CachedList = {
	service: Rate;
	bare: Rate;
	/** Requests by the service for each one by bare Bun: of each turn, the median of all. */
	ratio: number;
	/** Of the body that both answer. */
	bytes: number;
};

const PATH = "/v1/nft-market/collections?chain=anvil";
const CONNECTIONS = 64;
const WARM_SECONDS = 2;
const COUNT_SECONDS = 5;
/** Taken in turns, so that a machine which slows down slows both. */
const TURNS = 3;
/** Headers that Bun writes by itself. */
const OWN_HEADERS = new Set(["content-length", "date", "connection"]);

const loadSchema = z.object({
	answers: z.number().min(1),
	bytes: z.number(),
	refused: z.literal(0),
	seconds: z.number(),
});

/** The list of collections from the page cache, against bare Bun with the same bytes. */
export async function runCachedList(options: YoungServiceOptions): Promise<CachedList> {
	const { scope } = options;
	// One block for each collection, so that the list has as many rows as the chain collections.
	const young = await openYoungService(options);
	const service = young.service();
	const answer = await readAnswer(`${service.url}${PATH}`);
	const bare = await startBare(scope, answer);
	const places = {
		service: { url: `${service.url}${PATH}`, pid: service.pid },
		bare: { url: `${bare.url}${PATH}`, pid: bare.pid },
	};
	const rates = { service: [] as Rate[], bare: [] as Rate[] };
	for (let turn = 0; turn < TURNS; turn++) {
		rates.bare.push(await load(scope, places.bare));
		rates.service.push(await Promise.race([load(scope, places.service), service.failed]));
	}
	await bare.stop();
	await young.close();
	const bytes = Buffer.byteLength(answer.body);
	const ratio = median(
		rates.service.map(({ requestsPerSecond }, turn) => {
			return requestsPerSecond / (rates.bare[turn]?.requestsPerSecond ?? Number.NaN);
		}),
	);
	return { service: middle(rates.service), bare: middle(rates.bare), ratio, bytes };
}

async function readAnswer(url: string) {
	const response = await fetch(url);
	const body = await response.text();
	if (response.status !== 200) throw new Error(`the list answers ${response.status}: ${body}`);
	const headers = Object.fromEntries(
		[...response.headers].filter(([name]) => !OWN_HEADERS.has(name)),
	);
	return { headers, body };
}

async function startBare(scope: Scope, answer: Awaited<ReturnType<typeof readAnswer>>) {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-bench-"));
	const file = join(folder, "answer.json");
	writeFileSync(file, JSON.stringify(answer));
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

async function load(scope: Scope, place: { url: string; pid: number }): Promise<Rate> {
	const script = join(import.meta.dir, "../reference/requestLoad.ts");
	const args = [place.url, CONNECTIONS, WARM_SECONDS, COUNT_SECONDS].map(String);
	const child = Bun.spawn([process.execPath, script, ...args], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
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

function middle(rates: readonly Rate[]): Rate {
	const sorted = [...rates].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
	const rate = sorted[Math.floor(sorted.length / 2)];
	if (!rate) throw new Error("nothing was measured");
	return rate;
}

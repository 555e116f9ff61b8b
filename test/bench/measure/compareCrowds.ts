import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { cpuSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import type { ServiceProcess } from "#test/bench/measure/startServiceProcess.ts";
import { median } from "#test/bench/report/statistics.ts";

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
	return { service: middle(rates.service), bare: middle(rates.bare), ratio, bytes };
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

function middle(rates: readonly Rate[]): Rate {
	const sorted = [...rates].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
	const rate = sorted[Math.floor(sorted.length / 2)];
	if (!rate) throw new Error("nothing was measured");
	return rate;
}

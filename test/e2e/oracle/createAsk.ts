import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences, type Expected } from "#test/e2e/oracle/differences.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

const MINUTE_MS = 60_000;
/** A slow machine fills a page in several tries: each reads as much as its seconds allow. */
const TRIES = 16;
/** For so long a search's hits come from a cache. */
const HITS_KEPT_MS = 1_000;

/** Returns what an answer must be, at one moment. */
export type Expect = (views: readonly View[], nowMs: number, body: any) => Expected;

/**
 * A path, or a function that makes another one for each try, for answers that are cached by path.
 */
export type AskedPath = string | (() => string);

export type Ask = (path: AskedPath, expect: Expect, init?: { post: unknown }) => Promise<any>;

/**
 * Makes a function that asks a route and compares its answer with what was known at that time. If
 * the provider was asked meanwhile, it asks again until nothing new became known. Windows begin at
 * whole minutes: if a minute ended meanwhile, each part of the answer may be of either.
 */
export function createAsk(oracle: OracleLab, problems: string[]): Ask {
	const { lab } = oracle;
	let views: View[] = [];
	let madeOf = -1;
	return async (asked, expect, init) => {
		for (let turn = 0; turn < TRIES; turn++) {
			const answered = await answers(lab);
			if (madeOf !== answered) {
				views = await createViews(oracle);
				madeOf = answered;
			}
			const fromMs = lab.nowMs() - HITS_KEPT_MS;
			const path = typeof asked === "string" ? asked : asked();
			const body = await read(lab, path, init);
			const nowMs = lab.nowMs();
			if ((await answers(lab)) !== answered) continue;
			if (minuteOf(fromMs) !== minuteOf(nowMs)) {
				lab.advance(HITS_KEPT_MS);
				continue;
			}
			const name = named(init ? JSON.stringify(init.post) : path, views);
			const wrong = differences(body, expect(views, nowMs, body));
			problems.push(...wrong.map((one) => `${name} ${one}`));
			return body;
		}
		throw new Error(`${asked} was answered ${TRIES} times, and each time more became known`);
	};
}

/**
 * Returns how many calls the provider answered, once none is under way; a refusal tells nothing.
 */
async function answers(lab: ConformanceLab): Promise<number> {
	const { calls } = lab.provider;
	await lab.idle();
	await until(
		() => calls.every(({ status }) => status !== 0),
		() => "each call of the provider is answered",
	);
	return calls.filter(({ status }) => status === 200).length;
}

const minuteOf = (atMs: number) => Math.floor(atMs / MINUTE_MS);

/** Returns the path with the slug before the address, for failure messages. */
function named(path: string, views: readonly View[]): string {
	const own = views.find(({ address }) => path.includes(address));
	return own ? `${own.slug ?? "a contract of the chain"} ${path}` : path;
}

async function read(lab: ConformanceLab, path: string, init?: { post: unknown }): Promise<any> {
	if (!init) return lab.read(path);
	const response = await lab.raw(path, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(init.post),
	});
	if (response.status !== 200)
		throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response.json();
}

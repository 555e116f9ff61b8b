import { expect, test } from "bun:test";
import type { Fault } from "#core/fault.ts";
import { askFulfilment } from "#plugins/nft-buys/listing.ts";
import type { ProviderFulfilment } from "#plugins/provider/contract.ts";
import type { Channel } from "#plugins/wallets/contract.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

// Guarantee: a snipe asks the provider again four times at most, with short delays that double, and
// never after the provider has answered.

const { faults } = createFakeProvider();
const FULFILMENT = { calldata: "0x" } as unknown as ProviderFulfilment;
type Answer = Fault | ProviderFulfilment | null;

/** Asks a provider that gives these answers, one after the other; the last one for ever. */
async function ask(answers: readonly Answer[], channel: Channel = "snipe", abortAt?: number) {
	const ending = new AbortController();
	const pauses: number[] = [];
	let calls = 0;
	const listingFulfilment = async () => {
		const answer = answers[Math.min(calls++, answers.length - 1)] ?? null;
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const outcome = await askFulfilment({ listingFulfilment }, {} as never, {
		...{ channel, signal: ending.signal },
		outbound: (_step, call) => call(),
		async pause(ms, signal) {
			expect(signal).toBe(ending.signal);
			pauses.push(ms);
			if (pauses.length === abortAt) ending.abort();
		},
	}).catch(({ code }: Fault) => code);
	return { outcome, calls, pauses };
}

test("[RVL-09] a snipe asks five times, after 0.1, 0.2, 0.4 and 0.8 s, if there is no answer", async () => {
	for (const fault of [faults.unavailable(), faults.unreadable()]) {
		expect(await ask([fault])).toEqual({
			...{ outcome: fault.code, calls: 5, pauses: [100, 200, 400, 800] },
		});
	}
	expect(await ask([faults.unavailable(), faults.unreadable(), FULFILMENT])).toEqual({
		...{ outcome: FULFILMENT, calls: 3, pauses: [100, 200] },
	});
});

test("[RVL-09] after a rate limit, a refusal, or a missing listing a snipe does not ask again", async () => {
	for (const fault of [faults.rateLimited(2_000), faults.refused()]) {
		expect(await ask([fault])).toEqual({ outcome: fault.code, calls: 1, pauses: [] });
		// Also not where the provider was silent before it.
		expect(await ask([faults.unavailable(), fault])).toEqual({
			...{ outcome: fault.code, calls: 2, pauses: [100] },
		});
	}
	expect(await ask([null])).toEqual({ outcome: null, calls: 1, pauses: [] });
	expect(await ask([FULFILMENT])).toEqual({ outcome: FULFILMENT, calls: 1, pauses: [] });
});

test("a buy by a person asks once, and a service that ends does not ask again", async () => {
	const { code } = faults.unavailable();
	expect(await ask([faults.unavailable()], "api")).toEqual({
		...{ outcome: code, calls: 1, pauses: [] },
	});
	expect(await ask([faults.unavailable()], "snipe", 1)).toEqual({
		...{ outcome: code, calls: 1, pauses: [100] },
	});
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

// Guarantee: no transaction offers the network more than its limit, and none what nobody can price.

const CHAIN_ID = 31_337;
const ETHER = 10n ** 18n;

function judge(asked: { gasLimit: bigint; maxFeePerGas: bigint; usd: number | null; max: bigint }) {
	const prices = fakePrices();
	prices.setEth(asked.usd);
	const { gasLimit, maxFeePerGas } = asked;
	const by = {
		...{ prices, clock: { nowMs: () => Date.UTC(2026, 10, 21) } },
		// Of the settings it asks for nothing else.
		settings: {
			...{ isDryRun: false, sendTimeoutMs: 1, finalDepthBlocks: 1, destinations: new Set<never>() },
			slowAfter: { defaultMs: 1, byChain: new Map<number, number>() },
			quota: { burst: 0, perSecond: 0, refusedCost: 0 },
			limits: {
				...{ perTradeUsdMicros: 0n, walletNotionalUsdMicros: 0n, dailyUsdMicros: 0n },
				...{ socialUsdMicros: 0n, recipientCooldownMs: 0 },
			},
			networkFeeUsdMicros: asked.max,
		},
	};
	return feeDenial(by, { chainId: CHAIN_ID, gasLimit, account: { maxFeePerGas } })?.code ?? null;
}

test("what fits exactly is offered, and not a micro more", () => {
	const usd = 2_000;
	const amount = fc.bigInt({ min: 1n, max: 10n ** 9n });
	fc.assert(
		fc.property(amount, amount, (gasLimit, maxFeePerGas) => {
			// Rounded up: a limit is never passed by a rounding.
			const micros = (gasLimit * maxFeePerGas * BigInt(usd) * 1_000_000n + ETHER - 1n) / ETHER;
			expect(judge({ gasLimit, maxFeePerGas, usd, max: micros })).toBeNull();
			expect(judge({ gasLimit, maxFeePerGas, usd, max: micros - 1n })).toBe("network_fee_limit");
		}),
	);
});

test("a fee that nobody can price is not offered, however small", () => {
	for (const usd of [null, 0]) {
		const code = judge({ gasLimit: 1n, maxFeePerGas: 1n, usd, max: 10n ** 12n });
		expect(code).toBe("usd_rate_unavailable");
	}
});

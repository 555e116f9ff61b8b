import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AccountState, Simulation } from "#plugins/wallets/chain/readAccount.ts";
import { judgeBatch } from "#plugins/wallets/execution/judgeBatch.ts";
import { errorOf } from "#plugins/wallets/intent/intentError.ts";
import type { Plan } from "#plugins/wallets/model.ts";

// Guarantee: a batch goes only where all of it runs and is paid for, gas included.

function planOf(valueRaw: bigint): Plan {
	return {
		chainId: 1,
		from: `0x${"1".repeat(40)}`,
		to: `0x${"2".repeat(40)}`,
		valueRaw,
		data: "0x",
		spend: { currency: `0x${"0".repeat(40)}`, raw: valueRaw, decimals: 18, symbol: "ETH" },
		recipient: null,
		shown: {},
		expiresAtMs: 0,
	};
}

function accountOf(balanceRaw: bigint, maxFeePerGas = 1n): AccountState {
	const counts = { minedNonce: 0, pendingNonce: 0, headBlock: 0 };
	return { balanceRaw, maxFeePerGas, maxPriorityFeePerGas: 0n, ...counts };
}

const ok = (gasLimit: bigint): Simulation => ({ kind: "ok", gasLimit });

test("the account's balance covers all payments of a batch together or none is sent", () => {
	const amount = fc.bigInt({ min: 0n, max: 1_000n });
	fc.assert(
		fc.property(
			fc.array(fc.record({ value: amount, gas: amount }), { minLength: 1, maxLength: 10 }),
			fc.bigInt({ min: 0n, max: 20_000n }),
			fc.bigInt({ min: 1n, max: 3n }),
			(parts, balance, fee) => {
				const value = parts.reduce((sum, part) => sum + part.value, 0n);
				const gas = parts.reduce((sum, part) => sum + part.gas * fee, 0n);
				const judged = judgeBatch(
					parts.map((part) => planOf(part.value)),
					accountOf(balance, fee),
					parts.map((part) => ok(part.gas)),
				);
				const code = judged.kind === "denied" ? judged.denial.code : "ok";
				const expected =
					value > balance ? "balance_insufficient" : value + gas > balance ? "gas_reserve" : "ok";
				expect(code).toBe(expected);
			},
		),
	);
});

test("a contract's revert message is shown to operators only, except common ones of routers", () => {
	const heard = (detail: string) => {
		const judged = judgeBatch([planOf(1n)], accountOf(1_000n), [{ kind: "reverts", detail }]);
		return judged.kind === "denied" ? judged.denial : null;
	};
	const words = "execution reverted: claim your prize at evil.example";
	expect(heard(words)).toMatchObject({ detail: "It would fail on chain.", heard: words });
	expect(JSON.stringify(errorOf(heard(words) ?? { code: "", detail: "" }))).not.toContain("evil");
	expect(heard("execution reverted: Too little received")?.detail).toBe(
		"It would fail on chain: Too little received.",
	);
});

test("the refusal of a coin names balance, amount and what to do; that of a token its minimum", () => {
	const fails: Simulation = { kind: "reverts", detail: "no" };
	const denialOf = (plan: Plan, simulations: Simulation[] = [fails]) => {
		const judged = judgeBatch([plan], accountOf(1_000n), simulations);
		return judged.kind === "denied" ? judged.denial : null;
	};
	const figures = {
		limit: { value: "0.000000000000001", unit: "ETH" },
		amount: { value: "0.000000000000000007", unit: "ETH" },
	};
	expect(denialOf(planOf(7n))).toMatchObject({
		...figures,
		action: expect.stringContaining("recipient"),
	});
	expect(denialOf(planOf(7n), [])).toMatchObject(figures);
	expect(denialOf(planOf(7n), [])?.action).toBeUndefined();
	expect(denialOf({ ...planOf(7n), data: "0x01" })?.limit).toBeUndefined();
});

test("one failing or missing simulation denies the whole batch", () => {
	const plans = [planOf(1n), planOf(1n)];
	const fails: Simulation = { kind: "reverts", detail: "no" };
	for (const simulations of [[ok(1n), fails], [fails, ok(1n)], [ok(1n)], []]) {
		const judged = judgeBatch(plans, accountOf(1_000n), simulations);
		expect(judged).toMatchObject({ kind: "denied", denial: { code: "simulation_failed" } });
	}
});

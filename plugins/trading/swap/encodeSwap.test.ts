import { describe, expect, test } from "bun:test";
import { decodeFunctionData, parseAbi } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { PROBE_CODE } from "#plugins/trading/probes.ts";
import { encodeSwap, readSimulation, simulationDenial } from "#plugins/trading/swap/encodeSwap.ts";
import { readSwap, swapFlaw } from "#plugins/trading/swap/readSwap.ts";
import { compileProbe } from "#plugins/trading/testing/compileProbe.ts";
import { sdkSwaps } from "#plugins/trading/testing/sdkSwaps.ts";
import { mutantsOf } from "#test/harness/mutantsOf.ts";

describe("encodeSwap", () => {
	// Guarantee: the calldata for SwapRouter02 is byte for byte what Uniswap's own SDK writes, and an
	// independent reader of the bytes, which shares no code with the writer, finds every difference.

	const swaps = sdkSwaps();
	const abi = parseAbi([
		"function multicall(uint256 deadline, bytes[] data)",
		"function sweepToken(address token, uint256 least, address recipient)",
	]);

	/** Returns a deadline with the calls behind it, and the arguments of the sweeps among them. */
	function callsOf(data: Hex): { calls: unknown[]; sweeps: unknown[] } {
		const { args } = decodeFunctionData({ abi, data });
		const [deadline, inner] = args as readonly [bigint, readonly Hex[]];
		const isSweep = (call: Hex) => call.startsWith("0xdf2ab5bb");
		return {
			calls: [deadline, ...inner.filter((call) => !isSweep(call))],
			sweeps: inner.filter(isSweep).map((call) => {
				const [token, least, recipient] = decodeFunctionData({ abi, data: call }).args;
				return [String(token).toLowerCase(), least, String(recipient).toLowerCase()];
			}),
		};
	}

	test("the table has at least 60 swaps, of every form", () => {
		expect(swaps.length).toBeGreaterThanOrEqual(60);
		const shapes = new Set(
			swaps.map(({ terms }) =>
				[terms.exact, terms.hops.length, terms.isNativeIn, terms.isNativeOut].join(),
			),
		);
		expect(shapes.size).toBe(18);
	});

	describe("[TRD-05] a swap is encoded as the official SDK encodes it, and decoded to the same plan", () => {
		for (const { name, terms, data, valueRaw } of swaps) {
			test(name, () => {
				const encoded = encodeSwap(terms);
				const { calls, sweeps } = callsOf(encoded.data);
				expect({ calls, valueRaw: encoded.valueRaw }).toEqual({
					...{ calls: callsOf(data).calls, valueRaw },
				});
				// The SDK leaves in the router what a later pool does not take; here it is swept.
				const between = terms.exact === "in" ? terms.hops.slice(0, -1) : [];
				expect(sweeps).toEqual(
					between.map(({ tokenOut }) => [tokenOut.toLowerCase(), 0n, terms.recipient]),
				);
				if (sweeps.length === 0) expect(encoded.data).toBe(data);
				expect(swapFlaw(encoded, terms)).toBeNull();
			});
		}
	});

	test("a difference between plan and call in any member is found", () => {
		for (const { terms, name } of swaps) {
			const encoded = encodeSwap(terms);
			for (const mutant of mutantsOf(terms)) {
				// The pool follows from its tokens and fee; the calldata does not name it.
				const isUnsaid = /\.(pool|version)$/.test(mutant.path);
				if (isUnsaid || !Array.isArray(mutant.value.hops)) continue;
				const found = swapFlaw(encoded, mutant.value);
				expect({ name, path: mutant.path, how: mutant.how, found }).not.toMatchObject({
					found: null,
				});
			}
		}
	});

	test("a byte that is changed, added or left out anywhere is found", () => {
		for (const { terms } of swaps.filter((_, index) => index % 4 === 0)) {
			const { data, valueRaw } = encodeSwap(terms);
			const spoiled: Hex[] = [`${data}00`, `${data}${"00".repeat(32)}`, data.slice(0, -2) as Hex];
			for (let at = 2; at < data.length; at += 1) {
				const digit = data[at] === "0" ? "1" : "0";
				spoiled.push(`${data.slice(0, at)}${digit}${data.slice(at + 1)}` as Hex);
			}
			for (const one of spoiled) expect(swapFlaw({ data: one, valueRaw }, terms)).not.toBeNull();
			for (const value of [valueRaw + 1n, valueRaw === 0n ? 5n : 0n]) {
				expect(swapFlaw({ data, valueRaw: value }, terms)).not.toBeNull();
			}
		}
	});

	test("other calldata is not decoded as a swap", () => {
		for (const data of [
			"0x",
			"0x5ae401dc",
			"0xac9650d8",
			`0x5ae401dc${"0".repeat(192)}`,
		] as Hex[]) {
			expect(readSwap({ data, valueRaw: 0n })).toBeNull();
		}
	});
});

describe("simulateSwap", () => {
	test("the probe's code equals what its source compiles to", () => {
		expect(PROBE_CODE).toBe(compileProbe());
	});

	test("a simulation whose answer is not two words has no result", () => {
		for (const answer of [
			null,
			undefined,
			"0x",
			7,
			`0x${"0".repeat(64)}`,
			`0x${"z".repeat(128)}`,
		]) {
			expect(readSimulation(answer)).toBeNull();
		}
		const words = `0x${"7".padStart(64, "0")}${"9".padStart(64, "0")}`;
		expect(readSimulation(words)).toEqual({ spentRaw: 7n, receivedRaw: 9n });
	});

	test("a swap that is one base unit beyond its bounds is not sent", () => {
		const [sell, buy] = [
			{ symbol: "USDG", decimals: 6 },
			{ symbol: "TSLA", decimals: 0 },
		];
		const bounds = { mostRaw: 10n, leastRaw: 5n, exact: "in" as const, sell, buy };
		expect(simulationDenial({ spentRaw: 10n, receivedRaw: 5n }, bounds)).toBeNull();
		expect(simulationDenial({ spentRaw: 11n, receivedRaw: 5n }, bounds)?.code).toBe("token_unsafe");
		expect(simulationDenial({ spentRaw: 10n, receivedRaw: 4n }, bounds)).toMatchObject({
			...{ code: "token_unsafe", limit: { value: "5", unit: "TSLA" } },
			amount: { value: "4", unit: "TSLA" },
		});
		const left = { spentRaw: 9n, receivedRaw: 5n };
		expect(simulationDenial(left, bounds)?.code).toBe("liquidity_insufficient");
		expect(simulationDenial(left, { ...bounds, exact: "out" })).toBeNull();
	});
});

import { encodeFunctionData } from "viem";
import { readAbiText } from "#core/chain/abi/readAbiText.ts";
import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { hexData } from "#core/chain/reads/hexData.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import { cleanLine } from "#core/outside/cleanLine.ts";
import { shownRevenue } from "#plugins/tokenomics/ledger/shownRevenue.ts";
import { SHOWN_CURRENCIES, VIEW_GAS } from "#plugins/tokenomics/limits.ts";
import { tokenViews } from "#plugins/tokenomics/manifest/checkContracts.ts";
import type { TokenContracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import { currencies, type KnownCurrency } from "#plugins/tokenomics/sql/currencies.ts";

const SYMBOL_LENGTH_MAX = 16;
const DECIMALS_MAX = 36n;
const VIEWS = ["symbol", "decimals"] as const;

export type LearnDeps = { db: Database; clock: Clock; rpc: Rpc; chain: Chain };

/**
 * Learns what the token and the currencies of revenue are called, of those that are shown and not
 * known yet. What a contract says of itself is anybody's text: it is cleaned before it is kept.
 */
export async function learnCurrencies(
	{ db, clock, rpc, chain }: LearnDeps,
	{ token, router }: TokenContracts,
	{ named, signal }: { named: readonly Address[]; signal: AbortSignal },
): Promise<void> {
	const of = router === null ? null : { chainId: chain.id, contract: router };
	const revenue = of ? await shownRevenue(db, of, { named, limit: SHOWN_CURRENCIES }) : [];
	const wanted = [...new Set([token, ...revenue.map(({ currency }) => currency)])];
	const known = await currencies.among(db, chain.id, wanted);
	const names = new Set(known.map(({ address }) => address));
	const fresh = wanted.filter((address) => !names.has(address));
	if (fresh.length === 0) return;
	const asked = fresh.filter((address) => address !== ZERO_ADDRESS);
	const calls = asked.flatMap((to) =>
		VIEWS.map((functionName) => {
			const data = encodeFunctionData({ abi: tokenViews, functionName });
			return { method: "eth_call", params: [{ to, data, gas: VIEW_GAS }, "latest"] };
		}),
	);
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal });
	const at = new Date(clock.nowMs());
	for (const address of fresh) {
		const place = asked.indexOf(address) * VIEWS.length;
		const told = outcomes.slice(place, place + VIEWS.length);
		const read = address === ZERO_ADDRESS ? coinOf(chain) : currencyOf(address, told);
		if (read) await currencies.write(db, chain.id, read, at);
	}
}

function coinOf({ nativeCurrency: { symbol, decimals } }: Chain): KnownCurrency {
	return { address: ZERO_ADDRESS, symbol, decimals };
}

/** Reads what a currency said of itself; null where a node did not answer: it is asked again. */
function currencyOf(address: Address, told: readonly RpcOutcome[]): KnownCurrency | null {
	const isSilent = told.some((one) => one.kind === "fault" && one.fault.code !== "rpc_refused");
	if (told.length === 0 || isSilent) return null;
	const [text, places] = told.map((one) => {
		return one.kind === "result" ? (hexData.safeParse(one.result).data ?? null) : null;
	});
	const symbol = text ? cleanLine(readAbiText(text), { lengthMax: SYMBOL_LENGTH_MAX }) : null;
	const decimals = places ? readAbiUint(places) : null;
	const isSound = decimals !== null && decimals <= DECIMALS_MAX;
	return { address, symbol, decimals: isSound ? Number(decimals) : null };
}

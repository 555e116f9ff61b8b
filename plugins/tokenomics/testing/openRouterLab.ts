// Deploys a revenue router for tests, and models what its books must hold.

import { type Address, type Hex, stringToHex, zeroAddress } from "viem";
import { shareOut } from "../contracts/abi.ts";
import type { Call, ContractLab } from "./openContractLab.ts";

/** The modes of `OddToken`, in its order. */
export const MODES = [
	...(["honest", "fee", "false", "silent", "idle", "greedy", "reentrant"] as const),
	...(["halfBurning", "overBurning"] as const),
];
export type Mode = (typeof MODES)[number];
type Books = { held: bigint; earned: readonly bigint[]; owed: readonly bigint[] };

export const NATIVE = zeroAddress;
export const DEFAULT_SPLIT = [3_500, 1_500, 2_000, 3_000] as const;
export const sourceOf = (name: string): Hex => stringToHex(name, { size: 32 });
export const DEFAULT_SOURCE = sourceOf("");

export type RouterLab = Awaited<ReturnType<typeof openRouterLab>>;

/** Deploys a router with four payees, the hands that use it, and two tokens. */
export async function openRouterLab(lab: ContractLab) {
	const [owner, payer, holders, league, burn, treasury] = lab.accounts;
	if (!owner || !payer || !holders || !league || !burn || !treasury) throw new Error("no accounts");
	const payees = [holders, league, burn, treasury];
	const router = await lab.deploy(owner, "RevenueRouter", [owner, payees]);
	const hands = await lab.deploy(owner, "Hands");
	const tokens = [await openToken(), await openToken()];

	async function openToken(): Promise<Address> {
		const token = await lab.deploy(owner as Address, "OddToken");
		await lab.must(owner as Address, {
			...{ to: token, of: "OddToken", name: "mint", args: [payer, 10n ** 30n] },
		});
		await lab.must(payer as Address, {
			...{ to: token, of: "OddToken", name: "approve", args: [router, 2n ** 256n - 1n] },
		});
		return token;
	}

	const ofRouter = (name: string, args: readonly unknown[], value = 0n): Call => {
		return { to: router, of: "RevenueRouter", name, args, value };
	};
	const ofToken = (to: Address, name: string, args: readonly unknown[]): Call => {
		return { to, of: "OddToken", name, args };
	};
	return {
		...{ owner, payer, payees, router, hands, tokens, ofRouter, ofToken },
		deposit: (source: string, value: bigint) => ofRouter("deposit", [sourceOf(source)], value),
		depositToken: (source: string, token: Address, amount: bigint) =>
			ofRouter("depositToken", [sourceOf(source), token, amount]),
		release: (bucket: number, currency: Address) => ofRouter("release", [bucket, currency]),
		setSplit: (source: string, bps: readonly number[]) =>
			ofRouter("setSplit", [sourceOf(source), bps]),
		setMode: (token: Address, mode: Mode) =>
			lab.must(payer, ofToken(token, "setMode", [MODES.indexOf(mode)])),
		balanceOf: (token: Address, account: Address) =>
			token === NATIVE
				? lab.anvil.rpc<Hex>("eth_getBalance", [account, "latest"]).then(BigInt)
				: lab.read<bigint>(ofToken(token, "balanceOf", [account])),
		/** Reads the router's books of all currencies at one block. */
		books: (currencies: readonly Address[]) =>
			lab.read<Books[]>({ to: hands, of: "Hands", name: "read", args: [router, currencies] }),
	};
}

/** Keeps what the router should have in its books, from the rules alone. */
export function createModel() {
	const splits = new Map<string, readonly number[]>([["", DEFAULT_SPLIT]]);
	const carried = new Map<Address, readonly bigint[]>();
	/** What each bucket's shares come to exactly, in ten thousandths of a unit. */
	const exact = new Map<Address, bigint[]>();
	const earned = new Map<Address, bigint[]>();
	const paid = new Map<Address, bigint[]>();
	const of = (books: Map<Address, bigint[]>, currency: Address): bigint[] => {
		const found = books.get(currency) ?? [0n, 0n, 0n, 0n];
		books.set(currency, found);
		return found;
	};
	return {
		earned: (currency: Address) => of(earned, currency),
		owed: (currency: Address) =>
			of(earned, currency).map((all, at) => all - (of(paid, currency)[at] ?? 0n)),
		exact: (currency: Address) => of(exact, currency),
		setSplit: (source: string, bps: readonly number[]) => void splits.set(source, bps),
		receive(source: string, currency: Address, amount: bigint) {
			const bps = splits.get(source) ?? splits.get("") ?? [];
			const out = shareOut(amount, bps, carried.get(currency) ?? []);
			carried.set(currency, out.carried);
			for (const [at, share] of out.shares.entries()) {
				of(earned, currency)[at] = (of(earned, currency)[at] ?? 0n) + share;
				of(exact, currency)[at] = (of(exact, currency)[at] ?? 0n) + amount * BigInt(bps[at] ?? 0);
			}
		},
		release(bucket: number, currency: Address): bigint {
			const books = of(paid, currency);
			const due = (of(earned, currency)[bucket] ?? 0n) - (books[bucket] ?? 0n);
			books[bucket] = (books[bucket] ?? 0n) + due;
			return due;
		},
	};
}

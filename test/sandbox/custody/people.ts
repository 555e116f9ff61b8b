// Makes the wallet provider's users, their wallets and access tokens.

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { type Address, type Hex, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import type { Clock } from "#core/clock.ts";

export type TokenOrder = {
	userId: string;
	/** How long the token is valid, in seconds; negative: it has expired already. */
	expiresInS?: number | undefined;
	/** Replaces the usual claims. */
	claims?: Record<string, unknown> | undefined;
	header?: Record<string, unknown> | undefined;
};

export type Tokens = {
	mint(order: TokenOrder): string;
	/** The key as SPKI PEM, for services that are configured with it instead of fetching the set. */
	verificationKey: string;
	/** The answer of GET jwks.json. */
	keySet: unknown;
};

/** How a user is created. */
export type PersonPlan = {
	/** Null: no account on the social platform. */
	username: string | null;
	/** The wallet embedded at the provider; `none`: the user has only an external wallet. */
	embedded: "delegated" | "manual" | "archived" | "none";
	/** One of anvil's own first ten accounts, linked as an external wallet. */
	external: number | null;
};

/** A user with an account at the wallet provider. */
export type Person = {
	/** The user's DID at the provider: `sub` of the access tokens. */
	id: string;
	/** The user's permanent id on the social platform; the username may change. */
	subject: string | null;
	username: string | null;
	wallet: HeldWallet | null;
	external: Address | null;
};

/** A wallet whose key the provider has. */
export type HeldWallet = {
	id: string;
	address: Address;
	privateKey: Hex;
	isDelegated: boolean;
	isArchived: boolean;
};

export type People = {
	all(): Person[];
	/** Finds a user by DID or username. */
	find(name: string): Person | null;
	walletOf(id: string): HeldWallet | null;
	/** The application's own wallet, which belongs to no user. */
	keeper: HeldWallet;
	add(plan: PersonPlan): Person;
};

const HOUR_S = 3_600;

/** The users that exist from the start: one for each case that differs. */
export const cast: readonly PersonPlan[] = [
	{ username: "ada", embedded: "delegated", external: null },
	{ username: "ben", embedded: "manual", external: null },
	{ username: "cleo", embedded: "delegated", external: 9 },
	{ username: null, embedded: "delegated", external: null },
	{ username: "emil", embedded: "archived", external: null },
	{ username: "fay", embedded: "none", external: 8 },
	{ username: "gil", embedded: "delegated", external: null },
];

const MNEMONIC = "test test test test test test test test test test test junk";
/** The account before the users'. */
const ACCOUNT = 999;

const anvilMnemonic = "test test test test test test test test test test test junk";
/** Far after the world's traders, whose accounts begin at ten. */
const FIRST_ACCOUNT = 1_000;

/** Makes a signer of access tokens, with a new key at each start. */
export function createTokens(options: { appId: string; clock: Clock }): Tokens {
	const { appId, clock } = options;
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
	const jwk = publicKey.export({ format: "jwk" });
	const kid = createHash("sha256").update(JSON.stringify(jwk)).digest("base64url").slice(0, 20);
	return {
		mint({ userId, expiresInS = HOUR_S, claims = {}, header = {} }) {
			const nowS = Math.floor(clock.nowMs() / 1_000);
			const head = part({ alg: "ES256", typ: "JWT", kid, ...header });
			const sid = randomUUID();
			const usual = { iss: "privy.io", aud: appId, sub: userId, sid, iat: nowS };
			const body = part({ ...usual, exp: nowS + expiresInS, ...claims });
			const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
			const signature = sign("sha256", Buffer.from(`${head}.${body}`), key);
			return `${head}.${body}.${signature.toString("base64url")}`;
		},
		verificationKey: publicKey.export({ format: "pem", type: "spki" }).toString(),
		keySet: { keys: [{ ...jwk, kid, alg: "ES256", use: "sig" }] },
	};
}

/** Makes the wallet provider's users; the same plans in the same order give the same users. */
export function createPeople(plans: readonly PersonPlan[]): People {
	// The branch is derived once: mnemonicToAccount runs PBKDF2 at each call.
	const branch = mnemonicToAccount(anvilMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey();
	const people: Person[] = [];
	const byName = new Map<string, Person>();
	const keeper = keeperWallet();
	const wallets = new Map<string, HeldWallet>([[keeper.id, keeper]]);

	function keyOf(account: number) {
		const { privateKey } = branch.deriveChild(account);
		if (!privateKey) throw new Error("a derived key without its private half");
		const hex = toHex(privateKey);
		return { privateKey: hex, address: privateKeyToAddress(hex) };
	}

	function add(plan: PersonPlan): Person {
		const n = people.length;
		const key = keyOf(FIRST_ACCOUNT + n);
		const wallet: HeldWallet = {
			...key,
			id: `sandboxwallet${key.address.slice(2, 14).toLowerCase()}`,
			isDelegated: plan.embedded !== "manual",
			isArchived: plan.embedded === "archived",
		};
		const person: Person = {
			id: `did:privy:sandbox${String(n).padStart(6, "0")}`,
			subject: plan.username === null ? null : String(9_000_000_000_000_000_000n + BigInt(n)),
			username: plan.username,
			wallet: plan.embedded === "none" ? null : wallet,
			external: plan.external === null ? null : keyOf(plan.external).address,
		};
		people.push(person);
		byName.set(person.id, person);
		if (person.username !== null) byName.set(person.username, person);
		if (person.wallet) wallets.set(wallet.id, wallet);
		return person;
	}

	for (const plan of plans) add(plan);
	return {
		all: () => [...people],
		find: (name) => byName.get(name) ?? null,
		walletOf: (id) => wallets.get(id) ?? null,
		keeper,
		add,
	};
}

/**
 * Returns the application's own wallet, which buys tokens back; no user of the provider has it. It
 * is the same in each sandbox, and its id is BUYBACK_WALLET_ID.
 */
export function keeperWallet(): HeldWallet {
	const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: ACCOUNT }).getHdKey();
	if (!privateKey) throw new Error("a derived key without its private half");
	const key = toHex(privateKey);
	const whole = { privateKey: key, address: privateKeyToAddress(key) };
	return { ...whole, id: "sandboxwalletkeeper", isDelegated: true, isArchived: false };
}

function part(value: Record<string, unknown>): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}

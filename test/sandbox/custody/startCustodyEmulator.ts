// Starts the wallet provider of a sandbox chain.

import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Hex } from "viem";
import { type Clock, systemClock } from "#core/clock.ts";
import { createRpc, type Rpc } from "../createRpc.ts";
import { type Calls, createCallLog } from "../emulatorFaults.ts";
import { createCustodyHandler } from "./answerCustody.ts";
import { type CustodyFaultOrder, createCustodyFaultList } from "./CustodyFault.ts";
import type { Attempt, CustodyChain, CustodyOffice } from "./CustodyOffice.ts";
import { createCustodyStore, type StoredTransaction } from "./createCustodyStore.ts";
import { createPostbox } from "./createPostbox.ts";
import {
	cast,
	createPeople,
	createTokens,
	type HeldWallet,
	type Person,
	type PersonPlan,
	type TokenOrder,
} from "./people.ts";

export type CustodyEmulatorOptions = {
	rpcUrl: string;
	/** RPC URLs of other chains that it signs and broadcasts on. */
	moreRpcUrls?: readonly string[] | undefined;
	port?: number | undefined;
	/** The directory for what outlives the process; without it, memory. */
	dataDir?: string | undefined;
	appId?: string;
	appSecret?: string;
	clock?: Clock;
	/** Gives new users more than ether. */
	welcome?(people: readonly Person[]): Promise<void>;
};

/** A signed transaction. */
export type SignedTransaction = {
	referenceId: string | null;
	hash: string;
	sender: Hex;
	nonce: number;
	raw: Hex;
	/** It was never sent, and its hash never reported: only the provider has it. */
	isDisowned: boolean;
};

export type CustodyEmulator = {
	/**
	 * WALLET_PROVIDER_BASE_URL, _APP_ID, _APP_SECRET, _AUTHORIZATION_KEY, _VERIFICATION_KEY,
	 * _WEBHOOK_SECRET
	 */
	url: string;
	appId: string;
	appSecret: string;
	authorizationKey: string;
	verificationKey: string;
	webhookSecret: string;
	people(): Person[];
	/** Returns a user by username; throws for an unknown one. */
	person(username: string): Person;
	addPerson(plan?: Partial<PersonPlan>): Promise<Person>;
	token(order: TokenOrder): string;
	fault(order: CustodyFaultOrder): void;
	clearFaults(): void;
	calls(): Calls;
	clearCalls(): void;
	/** Returns every stored transaction, oldest first. */
	transactions(): StoredTransaction[];
	/** Returns the signed transactions of this process, including those never broadcast. */
	signed(): SignedTransaction[];
	/** Sets where webhooks go; at first they are not sent. */
	sendWebhooksTo(url: string | null): void;
	webhooks(): Attempt[];
	/** Settles when no delayed work is left. */
	idle(): Promise<void>;
	stop(): Promise<void>;
};

/** The credentials of the wallet provider's application. They are valid in this sandbox only. */
export type WalletProviderAccess = {
	appId: string;
	appSecret: string;
	authorizationKey: string;
	verificationKey: string;
	webhookSecret: string;
};

const PURSE_WEI = 1_000n * 10n ** 18n;
const CHAIN_NAME_BLOCK = "0x1";
const QUORUM_ID = "sandboxquorum0000000000";

/**
 * Starts the wallet provider of a sandbox chain: Privy's REST API with keys of anvil's own
 * mnemonic.
 */
export async function startCustodyEmulator(
	options: CustodyEmulatorOptions,
): Promise<CustodyEmulator> {
	const { clock = systemClock, appId = "sandboxapp", appSecret = "sandbox-app-secret" } = options;
	const urls = [options.rpcUrl, ...(options.moreRpcUrls ?? [])];
	const chains = await Promise.all(urls.map(openChain));
	const [firstChain] = chains;
	if (!firstChain) throw new Error("a wallet provider without a chain");
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
	const store = createCustodyStore({
		dataDir: options.dataDir ?? null,
		chainName: (await Promise.all(chains.map(({ rpc }) => chainNameOf(rpc)))).join("+"),
	});
	const people = createPeople([...cast, ...store.people()]);
	const faults = createCustodyFaultList();
	const calls = createCallLog();
	const stopping = new AbortController();
	const lateWork = new Set<Promise<void>>();
	const later: CustodyOffice["later"] = (work) => {
		const done = work(stopping.signal)
			.catch(() => {})
			.finally(() => lateWork.delete(done));
		lateWork.add(done);
	};
	const postbox = createPostbox({ clock, faults, stopped: stopping.signal, later });
	const office: CustodyOffice = {
		appId,
		appSecret,
		quorumId: QUORUM_ID,
		quorumKey: createPublicKey(publicKey.export({ format: "pem", type: "spki" })),
		firstChain,
		chainOf: (caip2) => chains.find(({ id }) => caip2 === `eip155:${id}`) ?? null,
		people,
		store,
		tokens: createTokens({ appId, clock }),
		clock,
		signed: new Map(),
		postbox,
		later,
	};
	const fillAll = (some: readonly Person[]) =>
		Promise.all(chains.map(({ rpc }) => fillPurses(rpc, walletsOf(some))));
	async function addPerson(plan: Partial<PersonPlan> = {}): Promise<Person> {
		const whole: PersonPlan = { username: null, embedded: "delegated", external: null, ...plan };
		store.addPerson(whole);
		const person = people.add(whole);
		await fillAll([person]);
		await options.welcome?.([person]);
		return person;
	}
	await fillAll(people.all());
	await Promise.all(chains.map(({ rpc }) => fillPurses(rpc, [people.keeper])));
	const handle = createCustodyHandler({
		office,
		faults,
		calls,
		stopped: stopping.signal,
		addPerson,
	});
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch: handle,
	});
	const idle = async (): Promise<void> => {
		// Delayed work may start more of it.
		while (lateWork.size > 0) await Promise.all(lateWork);
	};
	return {
		url: `http://127.0.0.1:${server.port}`,
		appId,
		appSecret,
		authorizationKey: `wallet-auth:${pkcs8(privateKey)}`,
		verificationKey: office.tokens.verificationKey,
		webhookSecret: postbox.secret,
		people: people.all,
		person: (username) => found(people.find(username), username),
		addPerson,
		token: office.tokens.mint,
		fault: faults.add,
		clearFaults() {
			faults.clear();
			store.clearClaims();
		},
		calls: calls.read,
		clearCalls: calls.clear,
		transactions: store.all,
		signed: () =>
			store.all().flatMap(({ id, referenceId, hash, sender, nonce }) => {
				const signed = office.signed.get(id);
				const from = sender.toLowerCase() as Hex;
				return signed ? [{ referenceId, hash, sender: from, nonce, ...signed }] : [];
			}),
		sendWebhooksTo: postbox.sendTo,
		webhooks: postbox.attempts,
		idle,
		async stop() {
			stopping.abort();
			await idle();
			await server.stop(true);
			store.close();
		},
	};
}

/** Returns the ready line's members about the wallet provider. */
export function walletProviderOf(custody: CustodyEmulator): {
	walletProviderUrl: string;
	walletProvider: WalletProviderAccess;
} {
	const { url, appId, appSecret, authorizationKey, verificationKey, webhookSecret } = custody;
	const keys = { authorizationKey, verificationKey, webhookSecret };
	const walletProvider = { appId, appSecret, ...keys };
	return { walletProviderUrl: url, walletProvider };
}

async function openChain(url: string): Promise<CustodyChain> {
	const rpc = createRpc(url);
	return { id: Number(await rpc.call("eth_chainId")), rpc };
}

/**
 * Returns the hash of a block that never changes; of the first block while there is no second one.
 */
async function chainNameOf(rpc: Rpc): Promise<string> {
	for (const number of [CHAIN_NAME_BLOCK, "0x0"]) {
		const block = await rpc.call("eth_getBlockByNumber", [number, false]);
		if (typeof block === "object" && block !== null && "hash" in block) return String(block.hash);
	}
	return "unnamed";
}

/** Gives ether to each account with no balance and no transaction yet. */
async function fillPurses(rpc: Rpc, wallets: readonly HeldWallet[]): Promise<void> {
	const addresses = wallets.map(({ address }) => address);
	const balances = await rpc.batch(
		addresses.map((address) => ({ method: "eth_getBalance", params: [address, "latest"] })),
	);
	const poor = addresses.filter((_, n) => BigInt(String(balances[n])) === 0n);
	const purse = `0x${PURSE_WEI.toString(16)}`;
	await rpc.batch(
		poor.map((address) => ({ method: "anvil_setBalance", params: [address, purse] })),
	);
}

function walletsOf(people: readonly Person[]): HeldWallet[] {
	return people.flatMap(({ wallet }) => wallet ?? []);
}

function pkcs8(key: KeyObject): string {
	return key.export({ format: "der", type: "pkcs8" }).toString("base64");
}

function found(person: Person | null, name: string): Person {
	if (!person) throw new Error(`nobody is called ${name}`);
	return person;
}

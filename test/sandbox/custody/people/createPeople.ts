import { toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { keeperWallet } from "./keeperWallet.ts";
import type { HeldWallet, Person, PersonPlan } from "./Person.ts";

const anvilMnemonic = "test test test test test test test test test test test junk";
/** Far after the world's traders, whose accounts begin at ten. */
const FIRST_ACCOUNT = 1_000;

export type People = {
	all(): Person[];
	/** Finds a user by DID or username. */
	find(name: string): Person | null;
	walletOf(id: string): HeldWallet | null;
	/** The application's own wallet, which belongs to no user. */
	keeper: HeldWallet;
	add(plan: PersonPlan): Person;
};

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

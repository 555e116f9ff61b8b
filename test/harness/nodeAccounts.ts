import { toHex } from "viem";
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { assert } from "#core/fault/assert.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const COUNT = 10;

let derived: PrivateKeyAccount[] | null = null;

/**
 * Returns the unlocked accounts of every test chain. They are derived once: deriving one from its
 * twelve words takes 20 ms of processor time, and a payment checks all.
 */
export function nodeAccounts(): readonly PrivateKeyAccount[] {
	derived ??= derive();
	return derived;
}

/** Returns one of these accounts. */
export function nodeAccount(index: number): PrivateKeyAccount {
	const account = nodeAccounts()[index];
	assert(account !== undefined, `a test chain begins with ${COUNT} accounts`);
	return account;
}

function derive(): PrivateKeyAccount[] {
	const branch = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
	return Array.from({ length: COUNT }, (_, index) => {
		const { privateKey } = branch.deriveChild(index);
		assert(privateKey !== null, "a derived key has its private half");
		return privateKeyToAccount(toHex(privateKey));
	});
}

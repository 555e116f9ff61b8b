import { toHex } from "viem";
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { assert } from "#core/fault/assert.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const COUNT = 10;

let derived: PrivateKeyAccount[] | null = null;

/**
 * Returns the accounts that every test chain begins with, each of which signs. They are derived
 * once: to derive one from its twelve words takes 20 ms of processor, and a payment looks at all.
 */
export function nodeAccounts(): readonly PrivateKeyAccount[] {
	derived ??= derive();
	return derived;
}

/** One of them. */
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

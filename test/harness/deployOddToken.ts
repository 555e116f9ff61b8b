// Puts a token on a chain whose transfers can be made to do something else than they say.

import { encodeFunctionData, type Hex, parseAbi } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";

/** What its transfers do, as `OddToken.sol` counts them. */
export const ODD = {
	...{ honest: 0, movesNothing: 1, takesDouble: 2, keepsSome: 3, honestFee: 4 },
	...{ answersFalse: 5, answersNothing: 6, hidesBalances: 7, reverts: 8, logsNothing: 9 },
} as const;

export type OddToken = {
	address: Address;
	/** `isSly`: it is honest in whatever pays no gas, as simulations do. */
	become(how: keyof typeof ODD, isSly?: boolean): Promise<void>;
	mint(to: Address, raw: bigint): Promise<void>;
	balanceOf(account: Address, block?: number): Promise<bigint>;
};

const abi = parseAbi([
	"function set(uint256 next, bool isSly)",
	"function mint(address to, uint256 amount)",
	"function balanceOf(address account) view returns (uint256)",
]);

/** Puts the token at an address. Whoever is unlocked there, the first of anvil's, sets its mode. */
export async function deployOddToken(anvil: Anvil, address: Address): Promise<OddToken> {
	await anvil.rpc("anvil_setCode", [address, compileRuntime("OddToken").code]);
	const [owner] = await anvil.rpc<Hex[]>("eth_accounts");
	const send = async (data: Hex) => {
		await anvil.rpc("eth_sendTransaction", [{ from: owner, to: address, data, gas: "0x30d40" }]);
		await anvil.mined();
	};
	return {
		address,
		become: (how, isSly = false) =>
			send(encodeFunctionData({ abi, functionName: "set", args: [BigInt(ODD[how]), isSly] })),
		mint: (to, raw) => send(encodeFunctionData({ abi, functionName: "mint", args: [to, raw] })),
		async balanceOf(account, block) {
			const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [account] });
			const at = block === undefined ? "latest" : `0x${block.toString(16)}`;
			return BigInt(await anvil.rpc<Hex>("eth_call", [{ to: address, data }, at]));
		},
	};
}

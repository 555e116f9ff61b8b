import {
	encodeDeployData,
	erc6492SignatureValidatorAbi,
	erc6492SignatureValidatorByteCode,
	hashMessage,
	numberToHex,
} from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { SIGNATURE_CALL_GAS_MAX, SIGNATURE_CALL_TIMEOUT_MS } from "#plugins/wallets/limits.ts";
import { readSigner } from "#plugins/wallets/siwe/readSigner.ts";

/**
 * Whether an address signed a text (EIP-191): by its key, or, where it is a contract, by saying so
 * (ERC-1271), also before it is deployed (ERC-6492).
 *
 * Not viem's `verifyHash`, which takes a node that is silent for a signature that is wrong, and
 * lets a stranger's contract burn what gas the node allows. Here silence throws `rpc_transport`.
 *
 * @param rpc null where the chain cannot be asked: then only keys sign.
 */
export async function isSignedBy(
	address: Address,
	{ text, signature, rpc }: { text: string; signature: Hex; rpc: Rpc | null },
): Promise<boolean> {
	const hash = hashMessage(text);
	if ((await readSigner(hash, signature)) === address) return true;
	if (!rpc) return false;
	const data = encodeDeployData({
		abi: erc6492SignatureValidatorAbi,
		args: [address, hash, signature],
		bytecode: erc6492SignatureValidatorByteCode,
	});
	const call = { data, gas: numberToHex(SIGNATURE_CALL_GAS_MAX) };
	try {
		const answer = await rpc.call(
			{ method: "eth_call", params: [call, "latest"] },
			{ signal: AbortSignal.timeout(SIGNATURE_CALL_TIMEOUT_MS) },
		);
		return answer === "0x01";
	} catch (error) {
		// The node ran it and it failed: a contract that reverts, or one that never ends.
		if (error instanceof Fault && error.code === "rpc_refused") return false;
		throw error;
	}
}

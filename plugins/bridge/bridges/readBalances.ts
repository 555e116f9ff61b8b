// Reads what a profile's wallets hold on a chain.

import { encodeFunctionData, erc20Abi } from "viem";
import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import { formatAmount } from "#core/money.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { BALANCES_CURRENCIES_MAX } from "#plugins/bridge/limits.ts";
import type { RelayCallOptions, RelayChain, RelayCurrency } from "#plugins/bridge/relay/Relay.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

type Balance = {
	walletId: string;
	address: string;
	currency: string;
	symbol: string;
	balance: string;
	balanceRaw: string;
};

type Known = "address" | "symbol" | "decimals";

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);

/**
 * Reads what a profile's wallets hold on a chain: its coin, and what it holds of the currencies
 * that the provider carries there. Throws a Fault where no node of the chain answers.
 */
export async function readBalances(
	context: BridgeContext,
	given: { profile: Profile; chain: RelayChain; options: RelayCallOptions },
): Promise<Balance[]> {
	const { profile, chain, options } = given;
	const { signal } = options;
	const read = context.readers.of(chain.id, chain.httpRpcUrl);
	if (read === null) throw bridgeFault.chainUnreadable();
	const currencies = await currenciesOf(context, chain, options);
	const one = async (wallet: Wallet, currency: Pick<RelayCurrency, Known>) => {
		const raw = quantity.parse(
			await read(...balanceCall(currency.address, wallet.address), signal),
		);
		return { wallet, currency, raw };
	};
	const wallets = [...new Map(profile.wallets.map((wallet) => [wallet.address, wallet])).values()];
	try {
		const asked = wallets.flatMap((wallet) => currencies.map((currency) => one(wallet, currency)));
		const found = await Promise.all(asked);
		const shown = found.filter(
			({ raw, currency }) => raw > 0n || currency.address === ZERO_ADDRESS,
		);
		return shown.map(({ wallet, currency, raw }) => ({
			...{ walletId: wallet.id, address: wallet.address, currency: currency.address },
			...{ symbol: currency.symbol, balanceRaw: String(raw) },
			balance: formatAmount({ units: raw, currency }),
		}));
	} catch (error) {
		const detail = error instanceof Error ? error.name : "unreadable";
		throw bridgeFault.chainUnreadable({ detail });
	}
}

/** Returns the call that reads what an address holds of a currency. */
export function balanceCall(currency: Address, owner: Address): [string, readonly unknown[]] {
	if (currency === ZERO_ADDRESS) return ["eth_getBalance", [owner, "latest"]];
	const args = [owner] as const;
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args });
	return ["eth_call", [{ to: currency, data }, "latest"]];
}

/** Returns the currencies to ask for; the coin alone where the provider does not answer. */
async function currenciesOf(
	{ directory }: BridgeContext,
	chain: RelayChain,
	options: RelayCallOptions,
): Promise<Pick<RelayCurrency, Known>[]> {
	const coin = { address: ZERO_ADDRESS, ...chain.currency };
	try {
		const rows = await directory.currencies({ chainId: chain.id }, options);
		const tokens = rows.filter(({ address, isVerified }) => isVerified && address !== ZERO_ADDRESS);
		return [coin, ...tokens.slice(0, BALANCES_CURRENCIES_MAX - 1)];
	} catch (error) {
		if (error instanceof Fault) return [coin];
		throw error;
	}
}

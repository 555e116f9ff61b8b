import { expect, test } from "bun:test";
import { createOfferKind } from "#plugins/nft-buys/kind/createOfferKind.ts";
import type { Intent, Wallet } from "#plugins/wallets/contract.ts";

test("[NFT-02] an offer is refused with its code, and nothing outside is asked", async () => {
	const kind = createOfferKind();
	const asked: string[] = [];
	const prepared = await kind.prepare({} as Intent<never>, {
		wallet: {} as Wallet,
		profile: {} as never,
		outbound: (step, call) => {
			asked.push(step);
			return call();
		},
		signal: new AbortController().signal,
	});
	expect(prepared).toMatchObject({
		kind: "denied",
		denial: { code: "provider_offer_requires_local_order_builder" },
	});
	expect(asked).toEqual([]);
	expect(kind.steps).toEqual([]);
});

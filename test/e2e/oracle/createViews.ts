import type { Hex } from "viem";
import { renderEvent } from "#test/conformance/provider/emulator/answers/events.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import { createRates } from "#test/e2e/oracle/expected/createRates.ts";
import { priced } from "#test/e2e/oracle/expected/worthOf.ts";
import { chainFacts, mergeFacts, toldFacts } from "#test/e2e/oracle/factsOf.ts";
import type { UnpricedFact, View } from "#test/e2e/oracle/Known.ts";
import { FIRST_BLOCK, type OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { type Deed, readChain } from "#test/e2e/oracle/readChain.ts";
import { readOwners } from "#test/e2e/oracle/readOwners.ts";
import { readTold } from "#test/e2e/oracle/readTold.ts";

/**
 * Returns what can be known of every contract now: from the chain's node by raw calls, and from
 * the answers and pushes that the provider gave.
 */
export async function createViews({
	lab,
	chain,
	feeds,
	firstRead,
	pushed,
}: OracleLab): Promise<View[]> {
	const { url } = lab.node("base");
	const headMs = await readHeadMs(url);
	const deeds = await readChain(url, FIRST_BLOCK);
	const read = deeds.filter(({ block }) => block >= firstRead.block);
	const toldOf = readTold(lab.provider.calls);
	const views: View[] = [];
	const add = async (address: Hex, chainName: string, slug: string | null) => {
		const told = toldOf(slug ?? "");
		const rates = createRates(feeds.all, chainName);
		const isMine = (fact: UnpricedFact) => fact.contract === address;
		const onChain = (all: readonly Deed[]) => (chainName === "base" ? chainFacts(all) : []);
		const answered = told.eventAnswers.flatMap(({ answer }) => answer.asset_events);
		const heard = [...answered, ...pushed(slug)].filter(({ nft }) => nft.contract === address);
		const known = mergeFacts(onChain(read).filter(isMine), toldFacts(heard)).map((fact) =>
			priced(fact, rates),
		);
		const truth = mergeFacts(
			onChain(deeds).filter(isMine),
			toldFacts(eventsOf(lab, slug)).filter(isMine),
		).map((fact) => priced(fact, rates));
		const found = await lab.service.get(
			`/v1/nft-market/collections/${address}/holders?chain=${chainName}`,
		);
		if (found.status === 404) {
			// By rule 7 of 4.1 a slug that is known on another chain gets no second row.
			const isHeld = views.some((view) => view.slug !== null && view.slug === slug);
			if (known.length > 0 && !isHeld) throw new Error(`${slug} ${address} is unknown`);
			return;
		}
		views.push({
			chain: chainName,
			address,
			slug,
			isSole: slug !== null && lab.of(slug).places.length === 1,
			known,
			truth: slug === "pages-omitted" ? known : truth,
			told,
			rates,
			owners: found.body.data ? await readOwners(url, address) : null,
			lanesUntilMs: chainName === "base" ? headMs : null,
			lanesFromMs: chainName === "base" ? Math.min(firstRead.atMs, lab.nowMs()) : null,
		});
	};
	for (const { slug, places } of lab.world.collections.values()) {
		for (const place of places) await add(place.address, nameOf(place.chain), slug);
	}
	for (const { address } of chain.contracts.values()) {
		if (!views.some((view) => view.address === address)) await add(address, "base", null);
	}
	return views;
}

/** Returns the service's name of a chain, which the provider may call something else. */
const nameOf = (chain: string) => (chain === "ape_chain" ? "apechain" : chain);

async function readHeadMs(url: string): Promise<number> {
	const params = ["latest", false];
	const response = await fetch(url, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params }),
	});
	const { result } = (await response.json()) as { result: { timestamp: string } };
	return Number(result.timestamp) * 1_000;
}

/** Returns every event of a slug, newest first, in the provider's words. */
function eventsOf(lab: ConformanceLab, slug: string | null): any[] {
	const collection = slug === null ? undefined : lab.world.collections.get(slug);
	return (collection?.events ?? []).map((event) => renderEvent(collection as never, event));
}

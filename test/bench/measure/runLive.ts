import { startYoungChain } from "#test/bench/chain/startYoungChain.ts";
import {
	type DelayOptions,
	type Delays,
	measureDelays,
} from "#test/bench/measure/measureDelays.ts";
import {
	openYoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { startBareHead } from "#test/bench/reference/startBareHead.ts";

/** Measures the service at the head of a young chain, with one subscriber of one collection. */
export async function runLive(
	options: YoungServiceOptions & Pick<DelayOptions, "what">,
): Promise<Delays> {
	const { scope, workload, what } = options;
	const young = await openYoungService(options);
	const { node, emitters } = young.chain;
	const streamUrls = [young.streamUrl()];
	const of = what ? { what } : {};
	const measured = measureDelays({ scope, node, emitters, workload, streamUrls, ...of });
	const [delays] = await Promise.race([measured, young.service().failed]);
	await young.close();
	if (!delays) throw new Error("nothing was heard");
	return delays;
}

/** Measures the same blocks through the bare script. */
export async function runBareLive({ scope, workload }: YoungServiceOptions): Promise<Delays> {
	const { node, emitters, stop } = await startYoungChain(scope, workload);
	const bare = await startBareHead(scope, node);
	const streamUrls = [bare.url];
	const [delays] = await measureDelays({ scope, node, emitters, workload, streamUrls });
	await bare.stop();
	await stop();
	if (!delays) throw new Error("nothing was heard");
	return delays;
}

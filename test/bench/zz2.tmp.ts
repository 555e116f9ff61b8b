import { fillChain } from "#test/bench/chain/fillChain.ts";
import { WIDE_WORKLOAD, WORKLOAD } from "#test/bench/chain/workload.ts";
import { createScope } from "#test/bench/createScope.ts";
import { runCatchUp } from "#test/bench/measure/runCatchUp.ts";
const t0 = performance.now();
const scope = createScope();
const say = (l: string) => console.log(((performance.now() - t0) / 1000).toFixed(1), l);
const workload = { ...WIDE_WORKLOAD, blocks: Number(process.argv[2] ?? 500), collections: Number(process.argv[3] ?? 2000) };
try {
const node = await fillChain(workload, { genesisSeconds: Math.floor(Date.parse("2026-11-20T02:07:30.500Z")/1000) - 6000 });
scope.defer(node.stop);
say("filled");
say(JSON.stringify(await runCatchUp({ scope, workload, rpcUrls: [node.url], sampleTree: false, runtimeArgs: [] })));
} catch (e) { console.log(e); }
await scope.close(); process.exit(0);

import type { NodeKnobs } from "#test/sim/node/createSimNode.ts";

/** A node with which nothing is ever wrong. */
export const calmNode: NodeKnobs = {
	errorRate: 0,
	delayRate: 0,
	lieRate: 0,
	lies: [],
	splitRate: 0,
	rangeMax: Number.POSITIVE_INFINITY,
	keepsOrphans: false,
};

import type { WaitReason } from "#plugins/wallets/watch/WaitReason.ts";

/** What each reason means, and what an operator does about it, each in a sentence. */
export const waitWords: Readonly<Record<WaitReason, { waitsFor: string; remedy: string }>> = {
	review: {
		waitsFor: "An operator's yes or no; it runs out after a day.",
		remedy: 'Look at it and answer: resolve {"review": "approve"} or {"review": "refuse"}.',
	},
	unreadable: {
		waitsFor: "The row, which somebody has to repair. It goes on by itself once it can be read.",
		remedy: "Repair the rows that core.quarantined_row names: they go on by themselves.",
	},
	in_doubt: {
		waitsFor: "Proof that it left or not: it is looked for until its nonce is used.",
		remedy: 'Call them off (resolve {"callOff": true}), or name the hash of what was sent.',
	},
	dropped: {
		waitsFor: "Its nonce to be used: no node knows the transaction, and any may learn of it again.",
		remedy: 'Call them off (resolve {"callOff": true}): the nonce is used by nothing then.',
	},
	refused: {
		waitsFor: "Its nonce to be used, by the wallet's next transaction or by a cancellation.",
		remedy: 'Call them off (resolve {"callOff": true}) where the wallet sends nothing else.',
	},
	behind: {
		waitsFor: "A lower nonce of its wallet, whose transaction is in doubt or was dropped.",
		remedy:
			'Call off what stands in the way first (reason in_doubt or dropped): {"callOff": true}.',
	},
	nonce_gap: {
		waitsFor: "A lower nonce of its wallet, which by our records nothing uses.",
		remedy: 'Call them off (resolve {"callOff": true}): free lower nonces are filled first.',
	},
	nonce_unproven: {
		waitsFor: "A later block that says the same: a node counts transactions that we do not know.",
		remedy: "Check the chain's endpoints: one of them counts nonces that others do not know.",
	},
	queued: {
		waitsFor: "Gas below its limit, and a chain that answers. It runs out with its plan.",
		remedy: "Check the chain's endpoints and the price of gas; what runs out gives its spend back.",
	},
	handing_over: {
		waitsFor: "The wallet provider's answer, or the next look at it where its process is gone.",
		remedy: "Check that the jobs run, and that the wallet provider answers.",
	},
	unseen: {
		waitsFor: "A node that knows it. After ten minutes without one it counts as dropped.",
		remedy: 'Check the chain\'s endpoints; call off what does not appear: {"callOff": true}.',
	},
	slow: {
		waitsFor: "A block that takes it.",
		remedy:
			'Call off what must not wait (resolve {"callOff": true}): it is replaced at a better price.',
	},
	nonce_used: {
		waitsFor: "What used its nonce, or has it now, to be mined and final: that decides.",
		remedy: 'Nothing, while the chain makes blocks; resolve {"abandon": true} asks at once.',
	},
	cancelling: {
		waitsFor: "TRADING_FINAL_DEPTH_BLOCKS on top of its cancellation, which is mined.",
		remedy: "Nothing, while the chain makes blocks: check its endpoints where this takes long.",
	},
	settling: {
		waitsFor: "The next look at it, or the plugin that knows what was paid for.",
		remedy: "Check that the jobs run, and that the plugins of all kinds of intents are loaded.",
	},
};

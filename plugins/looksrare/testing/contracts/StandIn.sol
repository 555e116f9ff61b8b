// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// What a trade on LooksRare v2 does to the chain, without its orders, signatures and strategies:
// tokens move, the price is paid in three parts, and the published event says so.

interface Token {
	function transferFrom(address from, address to, uint256 idOrAmount) external;
	function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external;
}

struct Trade {
	// Whose order it is, and who gets what the taker asked for.
	address maker;
	address recipient;
	address currency;
	address collection;
	bool isMulti;
	uint256[] itemIds;
	uint256[] amounts;
	address creator;
	uint256[3] feeAmounts;
}

contract StandInExchange {
	struct NonceInvalidationParameters {
		bytes32 orderHash;
		uint256 orderNonce;
		bool isNonceInvalidated;
	}

	event TakerAsk(
		NonceInvalidationParameters nonceInvalidationParameters,
		address askUser,
		address bidUser,
		uint256 strategyId,
		address currency,
		address collection,
		uint256[] itemIds,
		uint256[] amounts,
		address[2] feeRecipients,
		uint256[3] feeAmounts
	);

	event TakerBid(
		NonceInvalidationParameters nonceInvalidationParameters,
		address bidUser,
		address bidRecipient,
		uint256 strategyId,
		address currency,
		address collection,
		uint256[] itemIds,
		uint256[] amounts,
		address[2] feeRecipients,
		uint256[3] feeAmounts
	);

	address constant TREASURY = address(0xfee);

	function buy(Trade memory trade) external payable {
		address[2] memory paid = [trade.maker, trade.creator];
		pay(trade, msg.sender, paid);
		move(trade, trade.maker, trade.recipient);
		emit TakerBid(
			NonceInvalidationParameters(keccak256(abi.encode(trade)), 0, true),
			msg.sender,
			trade.recipient,
			0,
			trade.currency,
			trade.collection,
			trade.itemIds,
			trade.amounts,
			paid,
			trade.feeAmounts
		);
	}

	function acceptOffer(Trade memory trade) external {
		address[2] memory paid = [trade.recipient, trade.creator];
		move(trade, msg.sender, trade.maker);
		pay(trade, trade.maker, paid);
		emit TakerAsk(
			NonceInvalidationParameters(keccak256(abi.encode(trade)), 0, true),
			msg.sender,
			trade.maker,
			0,
			trade.currency,
			trade.collection,
			trade.itemIds,
			trade.amounts,
			paid,
			trade.feeAmounts
		);
	}

	// Says anything, as a contract gone wrong would.
	function say(bytes32 topic, bytes memory data) external {
		assembly {
			log1(add(data, 32), mload(data), topic)
		}
	}

	function pay(Trade memory trade, address from, address[2] memory paid) private {
		address[3] memory to = [paid[0], paid[1], TREASURY];
		for (uint256 i = 0; i < 3; i++) {
			if (trade.feeAmounts[i] == 0) continue;
			if (trade.currency == address(0)) payable(to[i]).transfer(trade.feeAmounts[i]);
			else Token(trade.currency).transferFrom(from, to[i], trade.feeAmounts[i]);
		}
	}

	function move(Trade memory trade, address from, address to) private {
		for (uint256 i = 0; i < trade.itemIds.length; i++) {
			uint256 id = trade.itemIds[i];
			if (trade.isMulti) {
				Token(trade.collection).safeTransferFrom(from, to, id, trade.amounts[i], "");
			} else {
				Token(trade.collection).transferFrom(from, to, id);
			}
		}
	}
}

// Takes the NFT from its owner, accepts the offer in its own name and is paid in its own name.
contract Aggregator {
	function acceptOffer(StandInExchange exchange, Trade memory trade) external {
		Token(trade.collection).transferFrom(msg.sender, address(this), trade.itemIds[0]);
		Approving(trade.collection).setApprovalForAll(address(exchange), true);
		trade.recipient = address(this);
		exchange.acceptOffer(trade);
	}
}

interface Approving {
	function setApprovalForAll(address operator, bool approved) external;
}

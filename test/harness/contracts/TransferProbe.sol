// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
	function balanceOf(address account) external view returns (uint256);
}

/// Stands for a moment, in one call that changes nothing, where somebody holds a token: moves an
/// eighth of it to somebody else, and says what arrived and what left.
contract TransferProbe {
	function probe(address token, address to) external returns (bool moved, uint256 sent, uint256 arrived, uint256 left) {
		uint256 own = IToken(token).balanceOf(address(this));
		uint256 before = IToken(token).balanceOf(to);
		sent = own / 8;
		(bool ok, bytes memory answer) = token.call(abi.encodeWithSelector(0xa9059cbb, to, sent));
		// As OpenZeppelin's SafeERC20: a token may answer nothing, and not `false`.
		moved = ok && (answer.length == 0 || abi.decode(answer, (bool)));
		if (!moved) return (false, sent, 0, 0);
		arrived = IToken(token).balanceOf(to) - before;
		left = own - IToken(token).balanceOf(address(this));
	}
}

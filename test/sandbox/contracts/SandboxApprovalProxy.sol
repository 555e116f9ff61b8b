// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IAuthorized {
	function receiveWithAuthorization(
		address from,
		address to,
		uint256 value,
		uint256 validAfter,
		uint256 validBefore,
		bytes32 nonce,
		bytes calldata signature
	) external;
}

interface IDepository {
	function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external;
}

struct Authorization {
	address token;
	address from;
	uint256 value;
	uint256 validAfter;
	uint256 validBefore;
	bytes32 nonce;
}

/// Takes what an owner signed for (EIP-3009) and deposits it for an order, in one transaction.
contract SandboxApprovalProxy {
	function depositAuthorized(
		Authorization calldata it,
		bytes calldata signature,
		address depository,
		bytes32 orderId
	) external {
		IAuthorized(it.token).receiveWithAuthorization(
			it.from,
			address(this),
			it.value,
			it.validAfter,
			it.validBefore,
			it.nonce,
			signature
		);
		IERC20(it.token).approve(depository, it.value);
		IDepository(depository).depositErc20(it.from, it.token, it.value, orderId);
	}
}

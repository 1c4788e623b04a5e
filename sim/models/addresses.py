"""Where LiteLLM would look for a provider's address by itself, and whose servers are people's own."""

from sim.models.spec import LlmParameters

# Where LiteLLM looks for a provider's address: variables of its name that end so, and others.
ADDRESS_ENDS = ("_API_BASE", "_BASE_URL")
OTHER_ADDRESSES = {
    "mistral": ("MISTRAL_AZURE_API_BASE",),
    "huggingface": ("HF_API_BASE",),
    "bedrock": ("AWS_BEDROCK_RUNTIME_ENDPOINT", "BEDROCK_MANTLE_API_BASE"),
    "watsonx": ("WATSONX_URL", "WX_URL", "WML_URL"),
    "text-completion-openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "vertex_ai": ("VERTEX_API_BASE",),
    "fireworks_ai": ("FIREWORKS_API_BASE",),
    "cohere_chat": ("COHERE_API_BASE",),
    "ollama_chat": ("OLLAMA_API_BASE",),
    "meta_llama": ("LLAMA_API_BASE",),
    "lambda_ai": ("LAMBDA_API_BASE",),
    "friendliai": ("FRIENDLI_API_BASE",),
    "featherless_ai": ("FEATHERLESS_API_BASE",),
    "datarobot": ("DATAROBOT_ENDPOINT",),
    "gradient_ai": ("GRADIENT_AI_AGENT_ENDPOINT",),
}
LOCAL = {
    "docker_model_runner",
    "hosted_vllm",
    "langflow",
    "langgraph",
    "lemonade",
    "litellm_proxy",
    "llamafile",
    "lm_studio",
    "ollama",
    "ollama_chat",
    "oobabooga",
    "vllm",
    "xinference",
}
# Providers that give each customer an address, and deployments names of the customer's own.
ADDRESS_EACH = {
    "azure",
    "azure_ai",
    "azure_text",
    "bedrock",
    "databricks",
    "datarobot",
    "gradient_ai",
    "snowflake",
    "vertex_ai",
    "watsonx",
    "watsonx_text",
}


def has_addresses(p: LlmParameters) -> bool:
    """Whether the model's provider has an address for each customer."""
    return p.model.partition("/")[0] in ADDRESS_EACH


def address_variables(p: LlmParameters) -> set[str]:
    """The variables in which LiteLLM may look for the address of the model's provider."""
    provider = p.model.partition("/")[0]
    stems = {provider.upper(), provider.upper().replace("_", "")}
    return {stem + end for stem in stems for end in ADDRESS_ENDS}.union(OTHER_ADDRESSES.get(provider, ()))


def named_variables(p: LlmParameters) -> list[str]:
    """Those of them that the model's team names."""
    return sorted(address_variables(p).intersection(p.needs_env))


def is_local(p: LlmParameters) -> bool:
    """Whether the model is of a provider whose servers are people's own."""
    return p.model.partition("/")[0] in LOCAL

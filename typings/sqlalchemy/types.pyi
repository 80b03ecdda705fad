from .sql import TypeEngine as TypeEngine
